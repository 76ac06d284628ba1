import type { Driver } from '../../driver/driver.ts'
import { asRunning, type Plane } from '../../plane/plane.ts'
import type { SnapshotSource } from '../../driver/snapshot.ts'
import { type AccessDependencies, waitForAccess } from '../access/access.ts'
import { deleteOldLeases } from '../../api/delete-old-leases.ts'
import { deletePlacedPods } from '../../api/delete-placed-pods.ts'
import { deletePublishedTrust } from '../../api/delete-published-trust.ts'

export interface PutDataOptions {
  driver: Driver
  plane: Plane
  source: SnapshotSource
  /** The latest revision that clients of the plane may have seen; 0 when nobody knows. */
  revision: number
  /** Keep the data that the plane had before, as nothing else holds it. */
  keepFormer: boolean
  /** Image with Node.js that takes the snapshot in a host cluster. @default what the spec of the plane says */
  helperImage?: string | undefined
  /** It is another host than the one that the data is of: the pods in it ran on nodes that are not here. @default false */
  isElsewhere?: boolean
  /** Returns when what etcd stores is what it is to be, before anybody can write. @default nobody looks */
  untilSound?: () => Promise<void>
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Gives a plane the data of a snapshot, and returns it when it can be used.
 *
 * @throws {VplaneError} what the driver and `waitUntilReady` throw.
 */
export async function putData(
  deps: AccessDependencies,
  { driver, isElsewhere = false, plane, signal, source, timeoutMs, ...request }: PutDataOptions,
): Promise<Plane> {
  const begunAt = deps.now()
  const restored = asRunning(plane)
  const untilAnswers = async () => {
    const access = await waitForAccess(deps, { driver, plane: restored, timeoutMs, signal })
    await using api = deps.openApi(access)
    await deleteOldLeases(api, { before: begunAt, signal })
    // The data may know CAs that the plane has no more, or never had.
    await deletePublishedTrust(api, signal)
    if (isElsewhere && plane.spec.host?.sync !== undefined) {
      await deletePlacedPods(api, { before: begunAt, signal })
    }
  }
  const restore = { ...request, file: source.file, untilAnswers }
  await driver.restore(plane, restore, { ui: deps.ui, signal, timeoutMs })
  return restored
}
