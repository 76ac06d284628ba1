import { asRunning, type Plane } from '../../plane/plane.ts'
import type { SnapshotSource } from '../../driver/snapshot.ts'
import { type AccessDependencies, waitForAccess } from '../access/access.ts'
import { deleteOldLeases } from '../../api/delete-old-leases.ts'
import { deletePlacedPods } from '../../api/delete-placed-pods.ts'
import type { ResolvedPlane } from '../find/resolve-plane.ts'
import { deletePublishedTrust } from '../../api/delete-published-trust.ts'

export interface PutDataOptions extends ResolvedPlane {
  source: SnapshotSource
  /** The latest revision that clients of the plane may have seen; 0 when it is unknown. */
  revision: number
  /** Keep the previous data of the plane, as no snapshot contains it. */
  keepFormer: boolean
  /** Image with Node.js that receives the snapshot in a host cluster. @default the one in the spec of the plane */
  helperImage?: string | undefined
  /** The data is from another host: its pods ran on nodes that do not exist here. @default false */
  isElsewhere?: boolean
  /** Checks the data in etcd before any client can write. @default nothing is checked */
  untilSound?: () => Promise<void>
  timeoutMs: number
  signal: AbortSignal
}

/** Returns the plane when it can be used with the data. */
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
    // The data may contain CAs that are not the plane's any more, or never were.
    await deletePublishedTrust(api, signal)
    if (isElsewhere && plane.spec.host?.sync !== undefined) {
      await deletePlacedPods(api, { before: begunAt, signal })
    }
  }
  const { file, from } = source
  const restore = { ...request, file, from, untilAnswers }
  await driver.restore(plane, restore, { ui: deps.ui, signal, timeoutMs })
  return restored
}
