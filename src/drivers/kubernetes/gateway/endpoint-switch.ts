import { GATEWAY_LABELS, objectName } from '../../../manifests/object-names.ts'
import { fieldAt, isRecord, recordsAt } from '../../../shared/json-fields.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { PlacedName } from '../context/object-names.ts'
import { readEndpoint } from '../host/endpoint-service.ts'
import type { HostApi } from '../host/host-api.ts'

/** Annotation of an endpoint that leads to the gateway: what it selects when the plane is awake. */
const WHEN_AWAKE = 'vplane.dev/when-awake'

/** The label of an EndpointSlice with the name of its Service. */
const SERVICE_LABEL = 'kubernetes.io/service-name'

type SwitchApi = Pick<HostApi, 'get' | 'patch'>

/** Whether the endpoint of a plane leads to the gateway of its namespace. */
export function isAtGateway({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.annotations?.[WHEN_AWAKE] !== undefined
}

/**
 * Has the endpoint of a plane lead to the port of the gateway that is for this plane. The host does both with one change of its
 * addresses, so that no connection is refused.
 * @throws {VplaneError} `CONFLICT` when the endpoint changed meanwhile, `NOT_FOUND` when it was deleted.
 */
export async function leadToGateway(
  api: SwitchApi,
  place: PlacedName,
  { port, signal }: { port: number; signal: AbortSignal },
): Promise<void> {
  const service = await readEndpoint(api, place, signal)
  if (service === undefined || isAtGateway(service)) {
    return
  }
  const [first, ...others] = recordsAt(service, 'spec', 'ports')
  const selector = fieldAt(service, 'spec', 'selector')
  const target = fieldAt(first, 'targetPort')
  await change(api, service, {
    annotation: JSON.stringify({ selector, target }),
    selector: GATEWAY_LABELS,
    ports: [{ ...first, targetPort: port }, ...others],
    signal,
  })
}

/** Has the endpoint of a plane lead to its kube-apiserver again. @throws {VplaneError} as `leadToGateway` does. */
export async function leadToPlane(
  api: SwitchApi,
  place: PlacedName,
  signal: AbortSignal,
): Promise<void> {
  const service = await readEndpoint(api, place, signal)
  const annotation = service?.metadata.annotations?.[WHEN_AWAKE]
  if (service === undefined || annotation === undefined) {
    return
  }
  const { selector, target }: { selector: Record<string, string>; target: unknown } =
    JSON.parse(annotation)
  const [first, ...others] = recordsAt(service, 'spec', 'ports')
  const ports = [{ ...first, targetPort: target }, ...others]
  await change(api, service, { annotation: null, selector, ports, signal })
}

/** Whether the nodes of the host learn of a ready gateway for the endpoint of a plane, and of nothing else. */
export async function isServedByGateway(
  api: Pick<HostApi, 'list'>,
  { name, namespace }: PlacedName,
  { port, signal }: { port: number; signal: AbortSignal },
): Promise<boolean> {
  const labelSelector = `${SERVICE_LABEL}=${objectName(name, 'api')}`
  const { items } = await api.list(collectionPath('endpointslices', namespace), {
    labelSelector,
    signal,
  })
  const served = items.filter((slice) => recordsAt(slice, 'endpoints').some(isReady))
  return (
    served.length > 0 &&
    served.every((slice) => recordsAt(slice, 'ports').some((one) => fieldAt(one, 'port') === port))
  )
}

function isReady(endpoint: unknown): boolean {
  return fieldAt(endpoint, 'conditions', 'ready') === true
}

interface Change {
  annotation: string | null
  selector: Readonly<Record<string, string>>
  ports: unknown[]
  signal: AbortSignal
}

async function change(
  api: SwitchApi,
  service: KubeObject,
  { annotation, ports, selector, signal }: Change,
): Promise<void> {
  const { name = '', namespace = '', resourceVersion } = service.metadata
  const former = fieldAt(service, 'spec', 'selector')
  const removed = Object.keys(isRecord(former) ? former : {}).map((key) => [key, null])
  const body = {
    metadata: { resourceVersion, annotations: { [WHEN_AWAKE]: annotation } },
    spec: { selector: { ...Object.fromEntries(removed), ...selector }, ports },
  }
  await api.patch(objectPath('services', { name, namespace }), body, { type: 'merge', signal })
}
