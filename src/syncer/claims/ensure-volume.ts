import { isDeepStrictEqual } from 'node:util'
import type { KubeClient } from '../../kube/client/client.ts'
import { isLeaving, type KubeObject } from '../../shared/kube/kube-object.ts'
import { type ObjectCache, unlessChanged } from '../../kube/cache/object-cache.ts'
import { type ObjectKey, toObjectKey } from '../../kube/cache/object-key.ts'
import type { ClaimContext } from '../translate/kinds/claim.ts'
import { claimKeyOf, volumeNameOf } from '../translate/kinds/volume.ts'
import { type Json, recordAt, textAt, textsAt } from '../../shared/json-fields.ts'
import { collectionPath, objectPath } from '../../shared/kube/collections.ts'

export interface VolumeOptions {
  plane: Pick<KubeClient, 'get' | 'create' | 'replace' | 'delete'>
  volumes: Pick<ObjectCache, 'get' | 'values'>
}

const VOLUMES = collectionPath('persistentvolumes')

/** The plane's controller removes it once a volume is released, which only a controller that binds volumes does. */
const PROTECTION = 'kubernetes.io/pv-protection'

/** Creates or updates a volume of the plane, and sets its phase to `Bound`. */
export async function ensureVolume(
  { plane, volumes }: VolumeOptions,
  wanted: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const path = `${VOLUMES}/${wanted.metadata.name}`
  const known = volumes.get(toObjectKey({ name: wanted.metadata.name ?? '' }))
  const stored = await unlessChanged(
    known === undefined
      ? plane.create(VOLUMES, wanted, { signal })
      : replaceUnlessSame(plane, { path, known, wanted }, signal),
  )
  if (stored !== undefined && textAt(stored, 'status', 'phase') !== 'Bound') {
    const bound = { ...stored, status: { phase: 'Bound' } }
    await unlessChanged(plane.replace(`${path}/status`, bound, { signal }))
  }
}

/** Deletes the volumes that were created for a claim, except the one that it has now. */
export async function removeVolumes(
  { plane, volumes }: VolumeOptions,
  { except, key }: { key: ObjectKey; except: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  const outdated = [...volumes.values()].filter(
    (volume) => claimKeyOf(volume) === key && volume.metadata.name !== except,
  )
  for (const { metadata } of outdated) {
    const path = `${VOLUMES}/${metadata.name}`
    await unlessChanged(plane.delete(path, { uid: metadata.uid, signal }))
    // After the deletion: the controller adds the finalizer again to a volume that is not being deleted.
    await removeFinalizer(plane, path, signal)
  }
}

async function removeFinalizer(
  plane: VolumeOptions['plane'],
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const volume = await plane.get(path, { signal })
  const finalizers = textsAt(volume?.metadata, 'finalizers')
  if (volume !== undefined && isLeaving(volume) && finalizers.includes(PROTECTION)) {
    const others = finalizers.filter((one) => one !== PROTECTION)
    const released = { ...volume, metadata: { ...volume.metadata, finalizers: others } }
    await unlessChanged(plane.replace(path, released, { signal }))
  }
}

async function replaceUnlessSame(
  plane: VolumeOptions['plane'],
  { known, path, wanted }: { path: string; known: KubeObject; wanted: KubeObject },
  signal: AbortSignal,
): Promise<KubeObject> {
  const change = { ...known, spec: { ...recordAt(known, 'spec'), ...recordAt(wanted, 'spec') } }
  return isDeepStrictEqual(change, known) ? known : plane.replace(path, change, { signal })
}

/** Reads the node affinity of a claim's new host volume for a scheduler of the plane; that of a known one never changes. */
export async function readVolumeAffinity(
  {
    host: client,
    surroundings,
    volumes,
  }: Pick<VolumeOptions, 'volumes'> & {
    host: Pick<KubeClient, 'get'>
    surroundings: Pick<ClaimContext, 'scheduler'>
  },
  { host, virtual }: { virtual: KubeObject; host: KubeObject },
  signal: AbortSignal,
): Promise<Json | undefined> {
  const isKnown = volumes.get(toObjectKey({ name: volumeNameOf(virtual) })) !== undefined
  const name = textAt(host, 'spec', 'volumeName')
  if (surroundings.scheduler !== 'virtual' || isKnown || name === undefined) {
    return undefined
  }
  const volume = await client.get(objectPath('persistentvolumes', { name }), { signal })
  return recordAt(volume, 'spec', 'nodeAffinity')
}
