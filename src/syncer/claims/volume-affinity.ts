import type { KubeClient } from '../../kube/client/client.ts'
import type { KubeObject } from '../../kube/kube-object.ts'
import type { ObjectCache } from '../engine/object-cache.ts'
import { toObjectKey } from '../scope/object-key.ts'
import type { ClaimContext } from '../translate/kinds/claim.ts'
import { type Json, recordAt, textAt } from '../translate/reading.ts'
import { volumeNameOf } from '../translate/kinds/volume.ts'

interface AffinityOptions {
  host: Pick<KubeClient, 'get'>
  volumes: Pick<ObjectCache, 'get'>
  surroundings: Pick<ClaimContext, 'scheduler'>
}

/**
 * From which nodes the volume can be reached that the host has bound a claim to, where a scheduler of the plane has to
 * know. It is asked once, for a volume that the plane does not have yet: it never changes.
 */
export async function volumeAffinity(
  { host: client, surroundings, volumes }: AffinityOptions,
  { host, virtual }: { virtual: KubeObject; host: KubeObject },
  signal: AbortSignal,
): Promise<Json | undefined> {
  const isKnown = volumes.get(toObjectKey({ name: volumeNameOf(virtual) })) !== undefined
  const name = textAt(recordAt(host, 'spec') ?? {}, 'volumeName')
  if (surroundings.scheduler !== 'virtual' || isKnown || name === undefined) {
    return undefined
  }
  const volume = await client.get(`/api/v1/persistentvolumes/${name}`, { signal })
  return recordAt(recordAt(volume ?? {}, 'spec') ?? {}, 'nodeAffinity')
}
