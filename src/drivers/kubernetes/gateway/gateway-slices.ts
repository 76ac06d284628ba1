import { isDeepStrictEqual } from 'node:util'
import type { KubeClient } from '../../../kube/client/client.ts'
import { unlessStatus } from '../../../kube/kube-error.ts'
import { objectLabels, objectName, PLANE_LABEL } from '../../../manifests/object-names.ts'
import { fieldAt, recordsAt, textAt, textsAt } from '../../../shared/json-fields.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import { conditionOf, isLeaving, type KubeObject } from '../../../shared/kube/kube-object.ts'
import { omitUndefined } from '../../../shared/omit-undefined.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'
import { OPERATOR, SERVICE_LABEL, WRITTEN_BY } from './slice-labels.ts'

type SlicesApi = Pick<HostApi, 'create' | 'get' | 'replace'>

/** Where connections to the endpoint of a plane go while they go to a gateway in another namespace. */
export interface SliceTarget {
  /** Pods of the gateway. */
  pods: readonly KubeObject[]
  port: number
}

/** Has the endpoint of a plane lead to pods of another namespace, too. */
export async function writeSlices(
  api: SlicesApi,
  endpoint: KubeObject,
  { port, pods, signal }: SliceTarget & { signal: AbortSignal },
): Promise<void> {
  for (const slice of slicesOf(endpoint, { port, pods })) {
    const { name = '', namespace = '' } = slice.metadata
    const path = objectPath('endpointslices', { name, namespace })
    const found = await api.get(path, { signal })
    if (found === undefined) {
      await api.create(collectionPath('endpointslices', namespace), slice, { signal })
    } else if (!isDeepStrictEqual(contentsOf(found), contentsOf(slice))) {
      const metadata = {
        ...slice.metadata,
        ...omitUndefined({ resourceVersion: found.metadata.resourceVersion }),
      }
      await api.replace(path, { ...slice, metadata }, { signal })
    }
  }
}

/** Has the endpoint of a plane no longer lead to pods of another namespace. */
export async function deleteSlices(
  api: Pick<HostApi, 'delete' | 'list'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<void> {
  for (const { metadata } of await listSlices(api, place, signal)) {
    await api.delete(objectPath('endpointslices', metadata), { signal })
  }
}

/** The slices of a plane that an operator writes; none where the user may not see them. */
export async function listSlices(
  api: Pick<HostApi, 'list'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const labelSelector = `${WRITTEN_BY}=${OPERATOR},${SERVICE_LABEL}=${objectName(name, 'api')}`
  const path = collectionPath('endpointslices', namespace)
  const found = await unlessStatus([403], api.list(path, { labelSelector, signal }))
  return found?.items ?? []
}

/** The planes of a namespace, or of the cluster, that have slices which an operator writes: each for each of its slices. */
export async function listPlacesWithSlices(
  api: Pick<KubeClient, 'list'>,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<PlacedName[]> {
  const options = { labelSelector: `${WRITTEN_BY}=${OPERATOR}`, metadataOnly: true, signal }
  const { items } = await api.list(collectionPath('endpointslices', namespace), options)
  return items.map(({ metadata }) => ({
    name: metadata.labels?.[PLANE_LABEL] ?? '',
    namespace: metadata.namespace ?? '',
  }))
}

/** One for each family of addresses of the Service, which owns them. */
function slicesOf(endpoint: KubeObject, { pods, port }: SliceTarget): KubeObject[] {
  const { labels = {}, name = '', namespace = '', uid = '' } = endpoint.metadata
  const [first] = recordsAt(endpoint, 'spec', 'ports')
  const families = textsAt(endpoint, 'spec', 'ipFamilies')
  const plane = labels[PLANE_LABEL] ?? ''
  return (families.length === 0 ? ['IPv4'] : families).map((addressType) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${name}-gateway-${addressType.toLowerCase()}`,
      namespace,
      labels: { ...objectLabels(plane), [SERVICE_LABEL]: name, [WRITTEN_BY]: OPERATOR },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name, uid }],
    },
    addressType,
    ports: [omitUndefined({ name: textAt(first, 'name'), port, protocol: 'TCP' })],
    endpoints: pods.flatMap((pod) => endpointOf(pod, addressType)),
  }))
}

/** As the host describes a pod: one that ends serves until it is no longer ready. */
function endpointOf(pod: KubeObject, addressType: string): object[] {
  const { name, namespace, uid } = pod.metadata
  const addresses = recordsAt(pod, 'status', 'podIPs').flatMap((one) => textAt(one, 'ip') ?? [])
  const address = addresses.find((one) => one.includes(':') === (addressType === 'IPv6'))
  if (
    address === undefined ||
    ['Failed', 'Succeeded'].includes(String(fieldAt(pod, 'status', 'phase')))
  ) {
    return []
  }
  const serving = conditionOf(pod, 'Ready')?.['status'] === 'True'
  const terminating = isLeaving(pod)
  return [
    omitUndefined({
      addresses: [address],
      conditions: { ready: serving && !terminating, serving, terminating },
      nodeName: textAt(pod, 'spec', 'nodeName'),
      targetRef: { kind: 'Pod', name, namespace, uid },
    }),
  ]
}

function contentsOf(slice: KubeObject): unknown {
  const { labels, ownerReferences } = slice.metadata
  return {
    labels,
    ownerReferences,
    ports: slice['ports'],
    endpoints: recordsAt(slice, 'endpoints'),
  }
}
