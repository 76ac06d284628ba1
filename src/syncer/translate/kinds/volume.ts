import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { type ObjectKey, toObjectKey } from '../../scope/object-key.ts'
import { VIRTUAL_LABEL } from '../virtual-label.ts'
import { picked } from '../reading.ts'
import { type Json, recordAt, textAt } from '../../../shared/json-fields.ts'

/** What no kubelet has a driver for: only the host mounts the volume. */
const DRIVER = 'vplane.dev'

/** Name of the volume that stands in the plane for what the host has bound a claim to. */
export function volumeNameOf({ metadata }: KubeObject): string {
  return `pvc-${metadata.uid ?? ''}`
}

interface ClaimPair {
  virtual: KubeObject
  host: KubeObject
  /** From which nodes the host's volume can be reached. @default nobody in the plane asks */
  nodeAffinity?: Json | undefined
}

/**
 * The volume in the plane for a claim whose host claim is bound: as large as the host's, and to be mounted by nobody.
 * `Delete` says what happens: the volume and the host claim go with the claim.
 */
export function toVirtualVolume({ host, nodeAffinity, virtual }: ClaimPair): KubeObject {
  const { name, namespace, uid } = virtual.metadata
  const spec = recordAt(virtual, 'spec') ?? {}
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: volumeNameOf(virtual), labels: { [VIRTUAL_LABEL]: 'true' } },
    spec: {
      ...picked(recordAt(host, 'status') ?? {}, ['accessModes', 'capacity']),
      ...picked(spec, ['storageClassName', 'volumeMode']),
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid },
      csi: { driver: DRIVER, volumeHandle: host.metadata.name },
      persistentVolumeReclaimPolicy: 'Delete',
      ...(nodeAffinity === undefined ? {} : { nodeAffinity }),
    },
  }
}

/** The claim that a volume of the plane is bound to. */
export function claimKeyOf(volume: KubeObject): ObjectKey {
  const claim = recordAt(volume, 'spec', 'claimRef') ?? {}
  return toObjectKey({ name: textAt(claim, 'name') ?? '', namespace: textAt(claim, 'namespace') })
}
