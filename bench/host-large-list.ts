import { randomBytes } from 'node:crypto'
import { createKubeClient } from '../src/kube/client.ts'
import type { StaticAccess } from './static-kubeconfig.ts'

/** Where the objects are. */
export const LARGE_LIST = '/api/v1/namespaces/default/configmaps'

const COUNT = 210
/** A ConfigMap may have a MiB. */
const BYTES = 1_000_000
const AT_ONCE = 4

/** Fills a plane, so that a list of its ConfigMaps is of 200 MB and more. */
export async function fillLargeList(access: StaticAccess): Promise<void> {
  await using client = createKubeClient(access)
  // Nothing on the way could make it smaller.
  const text = randomBytes((BYTES * 3) / 4).toString('base64url')
  const names = Array.from({ length: COUNT }, (_, index) => `large-${index}`)
  const work = async () => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      await client.create(LARGE_LIST, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name },
        data: { text },
      })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}
