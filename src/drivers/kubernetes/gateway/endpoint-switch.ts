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

interface Home {
  selector: Readonly<Record<string, string>>
  target: unknown
}

/** Whether the endpoint of a plane leads to its gateway. */
export function isAtGateway(endpoint: Pick<KubeObject, 'metadata'>): boolean {
  return homeOf(endpoint) !== undefined
}

/** What the annotation says. Users of the host can write anything into it: what is no selector counts as no annotation. */
function homeOf({ metadata }: Pick<KubeObject, 'metadata'>): Home | undefined {
  try {
    const home: unknown = JSON.parse(metadata.annotations?.[WHEN_AWAKE] ?? '')
    return isHome(home) ? home : undefined
  } catch {
    return undefined
  }
}

function isHome(value: unknown): value is Home {
  const selector = fieldAt(value, 'selector')
  return isRecord(selector) && Object.values(selector).every((label) => typeof label === 'string')
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
  await change(api, service, {
    annotation: JSON.stringify(homeOf(service) ?? { selector, target }),
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
  const home = service && homeOf(service)
  if (service !== undefined && home !== undefined) {
    await change(api, service, { annotation: null, ...leadsTo(service, home), signal })
  }
}

/** The endpoint of a plane as it is while it leads to the plane. */
export function whenAwake(service: KubeObject): KubeObject {
  const { [WHEN_AWAKE]: _, ...annotations } = service.metadata.annotations ?? {}
  const home = homeOf(service)
  return home === undefined
    ? service
    : {
        ...service,
        metadata: { ...service.metadata, annotations },
        spec: { ...recordAt(service, 'spec'), ...leadsTo(service, home) },
      }
}

function leadsTo(
  service: KubeObject,
  { selector, target }: Home,
): Pick<Change, 'ports' | 'selector'> {
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
