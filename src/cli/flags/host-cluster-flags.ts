import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Flags } from '@oclif/core'
import { VplaneError } from '../../shared/errors.ts'

/** The flags that name the host cluster, as kubectl's do; everything else in a command line is about the plane. */
export function hostClusterFlags() {
  return {
    'host-context': Flags.string({
      aliases: ['context'],
      summary: 'Context of the host cluster; by default the current one.',
      helpValue: 'CONTEXT',
    }),
    kubeconfig: Flags.custom({
      summary: 'Kubeconfig to use instead of $KUBECONFIG and ~/.kube/config.',
      helpValue: 'FILE',
      parse: async (file) => parseFile(file),
    })(),
  }
}

function parseFile(file: string): string {
  if (!existsSync(file)) {
    throw new VplaneError('USAGE', `the kubeconfig "${file}" does not exist`)
  }
  return resolve(file)
}
