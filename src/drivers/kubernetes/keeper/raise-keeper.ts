import { randomUUID } from 'node:crypto'
import { unlessStatus } from '../../../kube/kube-error.ts'
import { KEEPER_VERSION } from '../../../manifests/object-names.ts'
import { type Manifest, objectPathOf } from '../../../manifests/manifest.ts'
import { packageVersion } from '../../../shared/package-root.ts'
import { isLater } from '../../../shared/text/version-order.ts'
import { keeperPath } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'

/** Annotation of the keeper's objects, which changes each time that a plane needs the keeper: the fence of its end. */
const RAISED = 'vplane.dev/raised'

export interface RaiseOptions {
  /** The keeper as the plane wants it, see `keeperObjects`. */
  objects: () => Manifest[]
  /** Whether the keeper gets the settings for pods of this plane. @default only a keeper that is missing or older */
  isApplied?: boolean
  signal: AbortSignal
}

/**
 * Has the keeper of a namespace run for a plane whose settings are written. Leaves the keeper of a newer vplane as it is,
 * except that it runs.
 * @throws {VplaneError} the refusal of the host.
 */
export async function raiseKeeper(
  api: Pick<HostApi, 'apply' | 'get' | 'patch'>,
  namespace: string,
  { isApplied = false, objects, signal }: RaiseOptions,
): Promise<void> {
  const path = keeperPath(namespace)
  const raised = { [RAISED]: randomUUID() }
  const found = await api.get(path, { signal })
  const version = found?.metadata.annotations?.[KEEPER_VERSION] ?? ''
  const isNewer = isLater(version, packageVersion())
  const isOlder = isLater(packageVersion(), version)
  if (found !== undefined && (isNewer || !(isOlder || isApplied))) {
    const body = { metadata: { annotations: raised }, spec: { replicas: 1 } }
    const patching = api.patch(path, body, { type: 'merge', signal })
    if ((await unlessStatus([404], patching)) !== undefined) {
      return
    }
  }
  // All planes have it together, so the last one that was applied wins over all managers of fields.
  for (const object of objects()) {
    const { metadata } = object
    const annotations = { ...metadata.annotations, ...raised }
    const raisedObject = { ...object, metadata: { ...metadata, annotations } }
    const applying = api.apply(objectPathOf(object), raisedObject, { force: true, signal })
    // A host that knows no ServiceMonitors any more keeps no plane from starting.
    await unlessStatus(object.kind === 'ServiceMonitor' ? [404] : [], applying)
  }
}
