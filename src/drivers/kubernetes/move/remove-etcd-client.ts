import { isRecord } from '../../../kube/kube-object.ts'
import { secretKeyOf } from '../../../manifests/pod-files.ts'
import { ETCD_CLIENT_NAMES } from '../../../pki/plane/etcd-pki.ts'
import { collectionPath, objectPath } from '../host/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlacedName, planeSelector, RECORD_TYPE } from '../context/object-names.ts'

/**
 * Removes from a plane's Secrets what its kube-apiserver proves itself to etcd with, whoever manages it: pods that mount it
 * never start from then on.
 */
export async function removeEtcdClient(
  api: Pick<HostApi, 'list' | 'patch'>,
  { name: plane, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<void> {
  const { items } = await api.list(collectionPath('secrets', namespace), {
    labelSelector: planeSelector(plane),
    fieldSelector: `type!=${RECORD_TYPE}`,
    signal,
  })
  for (const { data, metadata } of items) {
    const keys = ETCD_CLIENT_NAMES.map(secretKeyOf).filter((key) => isRecord(data) && key in data)
    if (keys.length > 0) {
      const { name = '' } = metadata
      const without = { data: Object.fromEntries(keys.map((key) => [key, null])) }
      await api.patch(objectPath('secrets', { name, namespace }), without, {
        type: 'merge',
        signal,
      })
    }
  }
}
