import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { KubeClient } from '../../../src/kube/client/client.ts'
import { unlessStatus } from '../../../src/kube/kube-error.ts'
import { fieldAt, textAt } from '../../../src/shared/json-fields.ts'
import { collectionPath, objectPath, type Resource } from '../../../src/shared/kube/collections.ts'
import { isLeaving, type KubeObject } from '../../../src/shared/kube/kube-object.ts'
import type { ClusterFolder } from '../cluster/state/cluster-folder.ts'

/** The lab's StorageClasses name it. */
const PROVISIONER = 'vplane.dev/lab'
const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by'
const NODE = 'vplane.dev/lab-node'

/** Volumes of this class exist on every node, as those of a network do. */
const SHARED_CLASS = 'shared-path'

/**
 * Gives claims of the lab's StorageClasses their volumes, which are folders of nodes, and deletes both when the claim no
 * longer exists. Returns when the signal fires. local-path-provisioner starts a pod for each folder that it makes or
 * deletes; without them a plane is ready three seconds earlier.
 *
 * The annotations are those that provisioners outside of Kubernetes and its scheduler agree on:
 * sigs.k8s.io/sig-storage-lib-external-provisioner.
 */
export async function provisionVolumes(
  client: KubeClient,
  folder: ClusterFolder,
  signal: AbortSignal,
): Promise<void> {
  const each = async (resource: Resource, handle: (object: KubeObject) => Promise<void>) => {
    for await (const { object, type } of client.watch(collectionPath(resource), { signal })) {
      if (type !== 'DELETED' && !isLeaving(object)) {
        await handle(object)
      }
    }
  }
  await Promise.all([
    each('persistentvolumeclaims', (claim) => provide(client, folder, claim)),
    each('persistentvolumes', (volume) => reclaim(client, folder, volume)),
  ])
}

async function provide(
  client: KubeClient,
  folder: ClusterFolder,
  claim: KubeObject,
): Promise<void> {
  const { annotations = {} } = claim.metadata
  const node = annotations['volume.kubernetes.io/selected-node']
  const isOurs = annotations['volume.kubernetes.io/storage-provisioner'] === PROVISIONER
  if (!isOurs || node === undefined || textAt(claim, 'status', 'phase') !== 'Pending') {
    return
  }
  const volume = volumeFor(claim, node)
  const path = folderOf(volume, folder)
  await mkdir(path, { recursive: true })
  // Pods of every user may write there, whatever the umask is.
  await chmod(path, 0o777)
  // A claim is seen more than once before it is bound.
  await unlessStatus([409], client.create(collectionPath('persistentvolumes'), volume))
}

async function reclaim(
  client: KubeClient,
  folder: ClusterFolder,
  volume: KubeObject,
): Promise<void> {
  const { annotations = {}, name } = volume.metadata
  const isOurs = annotations[PROVISIONED_BY] === PROVISIONER
  const isDeleted = fieldAt(volume, 'spec', 'persistentVolumeReclaimPolicy') === 'Delete'
  if (isOurs && isDeleted && textAt(volume, 'status', 'phase') === 'Released') {
    await rm(folderOf(volume, folder), { recursive: true, force: true })
    await client.delete(objectPath('persistentvolumes', { name }))
  }
}

function volumeFor({ metadata, spec }: KubeObject, node: string): KubeObject {
  const { name, namespace, uid } = metadata
  const storageClassName = textAt(spec, 'storageClassName')
  const isShared = storageClassName === SHARED_CLASS
  const expression = { key: 'kubernetes.io/hostname', operator: 'In', values: [node] }
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: `pvc-${uid}`,
      annotations: { [PROVISIONED_BY]: PROVISIONER, ...(isShared ? {} : { [NODE]: node }) },
    },
    spec: {
      storageClassName,
      accessModes: fieldAt(spec, 'accessModes'),
      capacity: fieldAt(spec, 'resources', 'requests'),
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid },
      hostPath: { path: `/var/lib/${isShared ? 'shared' : 'local'}-path/pvc-${uid}` },
      persistentVolumeReclaimPolicy: 'Delete',
      ...(isShared
        ? {}
        : {
            nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
          }),
    },
  }
}

/** Where a volume is on this machine. */
function folderOf({ metadata }: KubeObject, folder: ClusterFolder): string {
  const node = metadata.annotations?.[NODE]
  const parent = node === undefined ? folder.shared : join(folder.node(node).lib, 'local-path')
  return join(parent, metadata.name ?? '')
}
