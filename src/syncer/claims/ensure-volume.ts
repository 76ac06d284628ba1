import { isDeepStrictEqual } from 'node:util'
import type { KubeClient } from '../../kube/client/client.ts'
import { isLeaving, type KubeObject } from '../../shared/kube/kube-object.ts'
import type { ObjectCache } from '../engine/object-cache.ts'
import { type ObjectKey, toObjectKey } from '../scope/object-key.ts'
import { unlessChanged } from '../engine/unless-changed.ts'
import type { ClaimContext } from '../translate/kinds/claim.ts'
import { claimKeyOf, volumeNameOf } from '../translate/kinds/volume.ts'
import { type Json, recordAt, textAt, textsAt } from '../../shared/json-fields.ts'
import { collectionPath, objectPath } from '../../shared/kube/collections.ts'

export interface VolumeOptions {
  plane: Pick<KubeClient, 'get' | 'create' | 'replace' | 'delete'>
  /** The plane's volumes that a syncer made. */
  volumes: Pick<ObjectCache, 'get' | 'values'>
}

const VOLUMES = collectionPath('persistentvolumes')

/** The plane's controller of it waits for a volume to be released, which only a controller that binds volumes does. */
const PROTECTION = 'kubernetes.io/pv-protection'

/** Makes sure that the plane has a volume as it is wanted, and that it is `Bound`. */
export async function ensureVolume(
  { plane, volumes }: VolumeOptions,
  wanted: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const path = `${VOLUMES}/${wanted.metadata.name}`
  const known = volumes.get(toObjectKey({ name: wanted.metadata.name ?? '' }))
  const kept = await unlessChanged(
    known === undefined
      ? plane.create(VOLUMES, wanted, { signal })
      : replaceUnlessSame(plane, { path, known, wanted }, signal),
  )
  if (kept !== undefined && recordAt(kept, 'status')?.['phase'] !== 'Bound') {
    const bound = { ...kept, status: { phase: 'Bound' } }
    await unlessChanged(plane.replace(`${path}/status`, bound, { signal }))
  }
}

/** Removes the volumes that were made for a claim, but for the one that it has now. */
export async function removeVolumes(
  { plane, volumes }: VolumeOptions,
  { but, key }: { key: ObjectKey; but: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  const left = [...volumes.values()].filter(
    (volume) => claimKeyOf(volume) === key && volume.metadata.name !== but,
  )
  for (const { metadata } of left) {
    const path = `${VOLUMES}/${metadata.name}`
    await unlessChanged(plane.delete(path, { uid: metadata.uid, signal }))
    // Only now: the controller gives it back to a volume that is not about to go.
    await releaseVolume(plane, path, signal)
  }
}

/** Takes the finalizer off a volume that is about to go. */
async function releaseVolume(
  plane: VolumeOptions['plane'],
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const leaving = await plane.get(path, { signal })
  const finalizers = textsAt(leaving?.metadata, 'finalizers')
  if (leaving !== undefined && isLeaving(leaving) && finalizers.includes(PROTECTION)) {
    const others = finalizers.filter((one) => one !== PROTECTION)
    const released = { ...leaving, metadata: { ...leaving.metadata, finalizers: others } }
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

/**
 * From which nodes the volume can be reached that the host has bound a claim to, where a scheduler of the plane has to
 * know. It is asked once, for a volume that the plane does not have yet: it never changes.
 */
export async function volumeAffinity(
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
