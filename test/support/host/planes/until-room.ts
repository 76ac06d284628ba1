import { waitFor } from '../../../../src/shared/wait.ts'
import type { HostCli } from '../host-cli.ts'

/** Returns when the pods of tests before have gone: those of a large plane need most of a node of the lab. */
export function untilRoom(cli: Pick<HostCli, 'host'>): Promise<boolean> {
  return waitFor(
    async () => {
      const output = ['--output', 'jsonpath={.items[*].metadata.namespace}']
      const namespaces = await cli.host(['get', 'pods', '--all-namespaces', ...output])
      return !namespaces.split(' ').some((name) => name.startsWith('e2e-'))
    },
    { what: 'the pods of other tests to go', timeoutMs: 300_000, intervalMs: 1000 },
  )
}
