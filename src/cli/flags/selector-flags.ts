import { Flags } from '@oclif/core'
import { hostClusterFlags } from './host-cluster-flags.ts'
import type { PlaneSelector } from '../../control-plane/use-cases/find/find-planes.ts'
import type { Given } from './given-flags.ts'

/** The flags that select one of several planes with the same name, and the host cluster. */
export const selectorFlags = {
  driver: Flags.option({
    options: ['kubernetes', 'local'] as const,
    summary: 'Selects the driver when several planes share a name.',
  })(),
  namespace: Flags.string({
    char: 'n',
    summary: 'Host namespace of the plane.',
    helpValue: 'NAMESPACE',
  }),
  ...hostClusterFlags(),
}

export type GivenSelectorFlags = Given<typeof selectorFlags>

/** The selector flags as options of a use case. */
export function selectorOf(flags: GivenSelectorFlags): Omit<PlaneSelector, 'name'> {
  const { driver, 'host-context': hostContext, namespace } = flags
  return { driver, namespace, hostContext }
}
