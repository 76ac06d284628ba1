import { objectName } from '../../../manifests/object-names.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import { ownSelector, type PlacedName } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'
import { waitUntilGone } from './wait-until-gone.ts'

/** How long its pod may take to end, in milliseconds. */
const TIMEOUT_MS = 60_000

/**
 * Ends the keeper that a former vplane made for a plane alone, and returns when its pod has ended: two keepers of one
 * plane must never work at once. Its other objects are deleted with the next change.
 * @throws {VplaneError} `TIMED_OUT`.
 */
export async function retireOwnKeeper(
  api: Pick<HostApi, 'delete' | 'get' | 'list' | 'watch'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<void> {
  const path = objectPath('deployments', { name: objectName(name, 'keeper'), namespace })
  const found = await api.get(path, { signal })
  if (found !== undefined) {
    await api.delete(path, { uid: found.metadata.uid, propagation: 'Background', signal })
    await waitUntilGone(api, {
      namespace,
      labelSelector: ownSelector(name, 'keeper'),
      what: `the end of the keeper of "${name}"`,
      timeoutMs: TIMEOUT_MS,
      signal,
    })
  }
}
