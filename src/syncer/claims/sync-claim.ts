import { isLeaving, type KubeObject } from '../../shared/kube/kube-object.ts'
import { isDeepStrictEqual } from 'node:util'
import type { KubeClient } from '../../kube/client/client.ts'
import { type Json, recordAt, recordsAt, textAt } from '../../shared/json-fields.ts'
import { RESTORED_ANNOTATION } from '../../manifests/object-names.ts'
import { type ObjectCache, unlessChanged } from '../../kube/cache/object-cache.ts'
import { type ObjectKey, parseObjectKey } from '../../kube/cache/object-key.ts'
import { askHost, type Asking, reportRefusal } from '../events/reporter.ts'
import {
  createHostObject,
  type HostObjects,
  removeHostObject,
  updateHostObject,
} from '../host-objects/host-objects.ts'
import { readPlaneId } from '../scope/sync-scope.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import { type ClaimContext, SELECTED_NODE, toHostClaim } from '../translate/kinds/claim.ts'
import { hostKeyOf } from '../translate/host-name.ts'
import { KEYS_ANNOTATION } from '../translate/markers.ts'
import { picked, provided } from '../translate/reading.ts'
import { isRefusal } from '../translate/refusal.ts'
import { refusalOf } from '../fields/synced-fields.ts'
import { isOfEarlier, virtualOf } from '../translate/host-metadata.ts'
import { toVirtualVolume, volumeNameOf } from '../translate/kinds/volume.ts'
import { namesOf, toVirtualWords } from '../translate/virtual-words.ts'
import {
  ensureVolume,
  removeVolumes,
  readVolumeAffinity,
  type VolumeOptions,
} from './ensure-volume.ts'

export interface ClaimSyncOptions extends Asking, HostObjects, VolumeOptions {
  host: HostObjects['host'] & Pick<KubeClient, 'get'>
  plane: Pick<KubeClient, 'get' | 'create' | 'replace' | 'delete'>
  persistentvolumeclaims: Record<'virtual' | 'host', Pick<ObjectCache, 'get'>>
  hostClasses: () => Pick<ClaimContext, 'storageClasses'>
  surroundings: Pick<ClaimContext, 'scheduler'>
}

const resource = 'persistentvolumeclaims'

/** Copied from the status of the host claim. */
const COPIED_FIELDS = [
  'accessModes',
  'allocatedResources',
  'allocatedResourceStatuses',
  'capacity',
  'conditions',
  'phase',
]

/**
 * Creates the host claim of a virtual one, and shows the host's volume in the plane. The syncer deletes data only if the
 * virtual claim was deleted or replaced by another one; a claim that still has finalizers is not deleted yet.
 *
 * @throws {Error} when a host claim that does not belong to this plane has the name.
 */
export async function syncClaim(
  options: ClaimSyncOptions,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<void> {
  const { persistentvolumeclaims: claims, scope } = options
  const virtual = claims.virtual.get(key)
  const known = claims.host.get(hostKeyOf(scope, parseObjectKey(key)))
  if (known !== undefined && virtualOf(scope, known) === undefined) {
    throw new Error(
      `claim "${known.metadata.name}" of the host namespace does not belong to this plane`,
    )
  }
  const isOld = known !== undefined && virtual !== undefined && isOfEarlier(known, virtual)
  const current = isOld ? undefined : known
  const hasVolume = virtual !== undefined && current !== undefined && isBoundByHost(current)
  const except = hasVolume ? volumeNameOf(virtual) : undefined
  await removeVolumes(options, { key, except }, signal)
  if (virtual === undefined || isOld) {
    await removeHostClaim(options, known, signal)
  } else if (isOfRestore(current)) {
    // The restored plane has this claim; the write triggers the next sync.
    await unmarkRestored(options, current, signal)
  } else {
    await showVolume(options, { virtual, host: current }, signal)
    await ensureHostClaim(options, { virtual, host: current }, signal)
  }
}

/** Refuses to delete data if the plane was emptied while this process ran: then no user has deleted the claims. */
async function removeHostClaim(
  options: ClaimSyncOptions,
  known: KubeObject | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (known === undefined || isLeaving(known)) {
    return
  }
  const { plane, scope } = options
  if ((await readPlaneId(plane, signal)) !== scope.planeId) {
    throw new Error(
      `plane "${scope.plane}" was emptied or restored: the data of its claims is not deleted`,
    )
  }
  if (isOfRestore(known)) {
    throw new Error(
      `claim "${known.metadata.name}" of the host namespace existed before plane "${scope.plane}" was restored: its data is not deleted`,
    )
  }
  await removeHostObject(options, { resource, known }, signal)
}

function isOfRestore(host: KubeObject | undefined): host is KubeObject {
  return host?.metadata.annotations?.[RESTORED_ANNOTATION] !== undefined
}

/** From then on the host claim is deleted with its virtual one again. */
async function unmarkRestored(
  { host }: ClaimSyncOptions,
  known: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const { [RESTORED_ANNOTATION]: _over, ...annotations } = known.metadata.annotations ?? {}
  const wanted = { ...known, metadata: { ...known.metadata, annotations } }
  await unlessChanged(host.replace(objectPath(resource, known.metadata), wanted, { signal }))
}

interface Pair {
  virtual: KubeObject
  host: KubeObject | undefined
}

async function showVolume(
  options: ClaimSyncOptions,
  { host, virtual }: Pair,
  signal: AbortSignal,
): Promise<void> {
  const { plane } = options
  const status = toVirtualClaimStatus(virtual, host)
  const path = objectPath(resource, virtual.metadata)
  let shown: KubeObject | undefined = virtual
  if (host !== undefined && isBoundByHost(host)) {
    const nodeAffinity = await readVolumeAffinity(options, { virtual, host }, signal)
    await ensureVolume(options, toVirtualVolume({ virtual, host, nodeAffinity }), signal)
    shown = isBound(virtual)
      ? virtual
      : await unlessChanged(plane.replace(path, withVolume(virtual), { signal }))
  }
  if (shown !== undefined && !isDeepStrictEqual(status, virtual['status'] ?? {})) {
    await unlessChanged(plane.replace(`${path}/status`, { ...shown, status }, { signal }))
  }
}

/** The status of a virtual claim: that of its host claim; without one, a bound claim is `Lost`, and others do not change. */
function toVirtualClaimStatus(virtual: KubeObject, host: KubeObject | undefined): Json {
  const own = recordAt(virtual, 'status') ?? {}
  if (host === undefined) {
    return isBound(virtual) ? { ...own, phase: 'Lost' } : own
  }
  const status = picked(recordAt(host, 'status') ?? {}, COPIED_FIELDS)
  const names = { host: namesOf(host), virtual: namesOf(virtual) }
  const conditions = recordsAt(status, 'conditions').map((condition) => {
    const message = textAt(condition, 'message')
    return message === undefined
      ? condition
      : { ...condition, message: toVirtualWords(message, names) }
  })
  return { phase: 'Pending', ...status, ...provided({ conditions }) }
}

/** Whether a claim is bound to the volume that represents the host's. */
function isBound(virtual: KubeObject): boolean {
  return textAt(virtual, 'spec', 'volumeName') === volumeNameOf(virtual)
}

function isBoundByHost(host: KubeObject): boolean {
  return recordAt(host, 'status')?.['phase'] === 'Bound'
}

/** The claim as a cluster's own controller would write it. */
function withVolume(virtual: KubeObject): KubeObject {
  const { annotations, ...metadata } = virtual.metadata
  return {
    ...virtual,
    metadata: {
      ...metadata,
      annotations: { ...annotations, 'pv.kubernetes.io/bind-completed': 'yes' },
    },
    spec: { ...recordAt(virtual, 'spec'), volumeName: volumeNameOf(virtual) },
  }
}

async function ensureHostClaim(
  options: ClaimSyncOptions,
  { host, virtual }: Pair,
  signal: AbortSignal,
): Promise<void> {
  const { hostClasses, scope, surroundings } = options
  const { scheduler } = surroundings
  const wanted =
    refusalOf(scope, resource, virtual) ??
    toHostClaim(virtual, { scope, scheduler, ...hostClasses() })
  if (host === undefined && isBound(virtual)) {
    // A new host claim would be empty, without notice to its users.
    const message =
      'its host claim was deleted on the host cluster: its data is lost, and a new claim starts empty'
    await options.reporter.report(virtual, { type: 'Warning', reason: 'ClaimLost', message })
  } else if (isRefusal(wanted)) {
    await reportRefusal(options, virtual, wanted)
  } else if (host !== undefined && isNodeRejected(virtual, host)) {
    const path = objectPath(resource, virtual.metadata)
    await unlessChanged(options.plane.replace(path, withoutNode(virtual), { signal }))
  } else if (host !== undefined) {
    const update = { resource, known: host, wanted: resized(host, wanted) } as const
    await askHost(options, virtual, () => updateHostObject(options, update, signal))
  } else if (!isLeaving(virtual)) {
    await askHost(options, virtual, () => createHostObject(options, { resource, wanted }, signal))
  }
}

/** Whether the host's provisioner could not create a volume near the selected node, and has removed that. */
function isNodeRejected(virtual: KubeObject, host: KubeObject): boolean {
  const { annotations = {} } = host.metadata
  const ours = (annotations[KEYS_ANNOTATION] ?? '').split(' ')
  return (
    virtual.metadata.annotations?.[SELECTED_NODE] !== undefined &&
    ours.includes(SELECTED_NODE) &&
    annotations[SELECTED_NODE] === undefined
  )
}

function withoutNode(virtual: KubeObject): KubeObject {
  const { [SELECTED_NODE]: _, ...annotations } = virtual.metadata.annotations ?? {}
  return { ...virtual, metadata: { ...virtual.metadata, annotations } }
}

/** Only the requested size of a claim can change. */
function resized(host: KubeObject, wanted: KubeObject): KubeObject {
  const resources = recordAt(wanted, 'spec')?.['resources']
  return { ...wanted, spec: { ...recordAt(host, 'spec'), resources } }
}
