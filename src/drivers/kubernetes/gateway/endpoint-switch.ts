import { GATEWAY_LABELS, objectName } from '../../../manifests/object-names.ts'
import { fieldAt, isRecord, numberAt, recordAt, recordsAt } from '../../../shared/json-fields.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { PlacedName } from '../context/object-names.ts'
import { readEndpoint } from '../host/endpoint-service.ts'
import type { HostApi } from '../host/host-api.ts'
import { isOfOperator, SERVICE_LABEL } from './slice-labels.ts'

/** Annotation of an endpoint that leads to the gateway: what it selects when the plane is awake. */
const WHEN_AWAKE = 'vplane.dev/when-awake'

type SwitchApi = Pick<HostApi, 'get' | 'patch'>

/** Whether the endpoint of a plane leads to its gateway. */
export function isAtGateway({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.annotations?.[WHEN_AWAKE] !== undefined
}

/** The port of the gateway to which an endpoint leads. @default it leads to its plane */
export function gatewayPortOf(endpoint: KubeObject): number | undefined {
  const [first] = recordsAt(endpoint, 'spec', 'ports')
  return isAtGateway(endpoint) ? numberAt(first, 'targetPort') : undefined
}

/**
 * Has the endpoint of a plane lead to the port of the gateway that is for this plane. The host does both with one change of its
 * addresses, so that no connection is refused.
 * @throws {VplaneError} `CONFLICT` when the endpoint changed meanwhile, `NOT_FOUND` when it was deleted.
 */
export async function leadToGateway(
  api: SwitchApi,
  place: PlacedName,
  {
    pods = GATEWAY_LABELS,
    port,
    signal,
  }: {
    port: number
    /** The labels of the pods that it selects then. @default those of the gateway of the namespace */
    pods?: Readonly<Record<string, string>>
    signal: AbortSignal
  },
): Promise<void> {
  const service = await readEndpoint(api, place, signal)
  // The gateway may have lost its records, and know the plane by another port.
  if (service === undefined || gatewayPortOf(service) === port) {
    return
  }
  const [first, ...others] = recordsAt(service, 'spec', 'ports')
  const selector = fieldAt(service, 'spec', 'selector')
  const target = fieldAt(first, 'targetPort')
  const { [WHEN_AWAKE]: annotation = JSON.stringify({ selector, target }) } =
    service.metadata.annotations ?? {}
  await change(api, service, {
    annotation,
    selector: pods,
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
  await change(api, service, { annotation: null, ...leadsTo(service, annotation), signal })
}

/** The endpoint of a plane as it is while it leads to the plane. */
export function whenAwake(service: KubeObject): KubeObject {
  const { [WHEN_AWAKE]: annotation, ...annotations } = service.metadata.annotations ?? {}
  return annotation === undefined
    ? service
    : {
        ...service,
        metadata: { ...service.metadata, annotations },
        spec: { ...recordAt(service, 'spec'), ...leadsTo(service, annotation) },
      }
}

function leadsTo(service: KubeObject, annotation: string): Pick<Change, 'ports' | 'selector'> {
  const { selector, target }: { selector: Record<string, string>; target: unknown } =
    JSON.parse(annotation)
  const [first, ...others] = recordsAt(service, 'spec', 'ports')
  return { selector, ports: [{ ...first, targetPort: target }, ...others] }
}

/** Whether the nodes of the host learn of a ready pod that the endpoint of a plane selects. */
export async function hasReadyAddress(
  api: Pick<HostApi, 'list'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<boolean> {
  const slices = await slicesOf(api, place, signal)
  return slices.some((slice) => !isOfOperator(slice) && hasReady(slice))
}

/** Whether the nodes of the host learn of a ready gateway for the endpoint of a plane, and of nothing else. */
export async function isServedByGateway(
  api: Pick<HostApi, 'list'>,
  place: PlacedName,
  { port, signal }: { port: number; signal: AbortSignal },
): Promise<boolean> {
  const served = (await slicesOf(api, place, signal)).filter(hasReady)
  return (
    served.length > 0 &&
    served.every((slice) => recordsAt(slice, 'ports').some((one) => fieldAt(one, 'port') === port))
  )
}

async function slicesOf(
  api: Pick<HostApi, 'list'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const labelSelector = `${SERVICE_LABEL}=${objectName(name, 'api')}`
  const path = collectionPath('endpointslices', namespace)
  return (await api.list(path, { labelSelector, signal })).items
}

function hasReady(slice: KubeObject): boolean {
  return recordsAt(slice, 'endpoints').some(
    (endpoint) => fieldAt(endpoint, 'conditions', 'ready') === true,
  )
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
