import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { type ObjectKey, toObjectKey } from '../../../kube/cache/object-key.ts'
import { VIRTUAL_LABEL } from '../markers.ts'
import { picked, provided } from '../reading.ts'
import { type Json, recordAt, textAt } from '../../../shared/json-fields.ts'

/** The name of the volume in the plane that represents the host's volume of a claim. */
export function volumeNameOf({ metadata }: KubeObject): string {
  return `pvc-${metadata.uid ?? ''}`
}

interface ClaimPair {
  virtual: KubeObject
  host: KubeObject
  /** The nodes that can access the host's volume. @default the plane has no scheduler that needs it */
  nodeAffinity?: Json | undefined
}

/** The volume in the plane for a bound claim; its policy is `Delete`, as it and the host claim are deleted with the claim. */
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
      // No kubelet has this driver: only the host mounts the volume.
      csi: { driver: 'vplane.dev', volumeHandle: host.metadata.name },
      persistentVolumeReclaimPolicy: 'Delete',
      ...provided({ nodeAffinity }),
    },
  }
}

/** The key of the claim that a volume of the plane is bound to. */
export function claimKeyOf(volume: KubeObject): ObjectKey {
  const claim = recordAt(volume, 'spec', 'claimRef') ?? {}
  return toObjectKey({ name: textAt(claim, 'name') ?? '', namespace: textAt(claim, 'namespace') })
}
