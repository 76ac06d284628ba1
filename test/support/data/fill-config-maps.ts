import { randomBytes } from 'node:crypto'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import type { KubeConnection } from '../../../src/kube/connection.ts'

/** Where the objects are. */
export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

export interface Filling {
  /** So many are there. @default 0 */
  from?: number
  /** So many are to be there. */
  count: number
  /** Of each; it may have a mebibyte. @default none */
  bytes?: number
  /** So many are made at the same time. */
  atOnce: number
}

/** Makes many ConfigMaps in a plane: `filled-0`, `filled-1` and so on. */
export async function fillConfigMaps(
  connection: KubeConnection,
  { atOnce, bytes = 0, count, from = 0 }: Filling,
): Promise<void> {
  await using client = createKubeClient(connection)
  // Nothing on the way could make it smaller.
  const text = randomBytes((bytes * 3) / 4).toString('base64url')
  const names = Array.from({ length: count - from }, (_, index) => `filled-${from + index}`)
  const work = async () => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      const metadata = { name }
      const data = bytes === 0 ? {} : { data: { text } }
      await client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, ...data })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}
