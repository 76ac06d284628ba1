import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { ObjectCache } from '../../kube/cache/object-cache.ts'
import { type KubeletAnswer, sendAnswer } from '../kubelet/requests/kubelet-answer.ts'
import { clientNameOf, serveTls, type TlsServer, type TlsServerOptions } from '../tls/serve-tls.ts'
import { isVirtual } from '../translate/markers.ts'
import { provided } from '../translate/reading.ts'
import { type ReadUsage, sumOf, type Usage } from './host-usage.ts'
import { parseSelectors } from './parse-selectors.ts'

export interface MetricsOptions {
  readUsage: ReadUsage
  /** Reads the metrics of the host's nodes. @default the plane does not show those */
  readNodes?: (() => Promise<KubeObject[]>) | undefined
  nodes: Pick<ObjectCache, 'values'>
  onError: (what: string, error: unknown) => void
}

export interface MetricsServerOptions extends MetricsOptions, TlsServerOptions {
  /** The common name of the plane's kube-apiserver when it forwards requests to an aggregated API. */
  clientName: string
}

const METRICS_API = 'metrics.k8s.io/v1beta1'

const PATH =
  /^\/apis\/metrics\.k8s\.io\/v1beta1(?:\/namespaces\/(?<namespace>[^/]+)(?=\/pods))?(?:\/(?<resource>nodes|pods)(?:\/(?<name>[^/]+))?)?\/?$/

const RESOURCES = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: METRICS_API,
  resources: [
    { name: 'nodes', namespaced: false, kind: 'NodeMetrics' },
    { name: 'pods', namespaced: true, kind: 'PodMetrics' },
  ].map((resource) => ({ ...resource, singularName: '', verbs: ['get', 'list'] })),
}

/** Serves metrics.k8s.io to the plane's kube-apiserver, which authorizes requests. Throws what `serveTls` throws. */
export function serveMetrics(options: MetricsServerOptions): Promise<TlsServer> {
  const server = { ...options, what: 'the metrics API' }
  return serveTls(server, { rejectUnauthorized: true }, (https) => {
    https.on('request', async (request, response) => {
      const client = clientNameOf(request)
      const isFrontProxy = client === options.clientName
      const answer = isFrontProxy
        ? await answerMetrics(request, options)
        : refusal(403, 'Forbidden', `"${client}" is not the front proxy`)
      sendAnswer(response, answer)
    })
  })
}

/** As metrics-server does. Discovery works without the host: else the plane could not delete namespaces. */
export async function answerMetrics(
  { method, url = '' }: { method?: string | undefined; url?: string | undefined },
  options: MetricsOptions,
): Promise<KubeletAnswer> {
  const { pathname, searchParams: query } = new URL(url, 'https://plane')
  const asked = PATH.exec(pathname)?.groups
  if (asked === undefined) {
    return refusal(404, 'NotFound', `the server could not find "${pathname}"`)
  }
  if (method !== 'GET' || ['1', 'true'].includes(query.get('watch') ?? '')) {
    return refusal(405, 'MethodNotAllowed', 'metrics can only be read, and not be watched')
  }
  const { name, namespace, resource } = asked
  if (resource === undefined) {
    return toAnswer(200, RESOURCES)
  }
  const selects = parseSelectors(query)
  try {
    const all = await (resource === 'nodes' ? nodeMetrics(options) : podMetrics(options, namespace))
    if (name !== undefined) {
      const found = all.find(({ metadata }) => metadata.name === name)
      return found === undefined
        ? refusal(404, 'NotFound', `${resource}.metrics.k8s.io "${name}" not found`)
        : toAnswer(200, found)
    }
    if (typeof selects === 'string') {
      return refusal(400, 'BadRequest', selects)
    }
    const kind = resource === 'nodes' ? 'NodeMetricsList' : 'PodMetricsList'
    const items = all.filter(selects)
    return toAnswer(200, { kind, apiVersion: METRICS_API, metadata: {}, items })
  } catch (error) {
    // The host's own message is not for users of the plane.
    options.onError('metrics', error)
    return refusal(503, 'ServiceUnavailable', 'the host cluster has no metrics now')
  }
}

/** A refusal in the format of API servers. */
function refusal(code: number, reason: string, message: string): KubeletAnswer {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' }
  return toAnswer(code, { ...status, message, reason, code })
}

function toAnswer(status: number, body: unknown): KubeletAnswer {
  return { status, body: JSON.stringify(body), contentType: 'application/json' }
}

async function podMetrics(
  { readUsage }: MetricsOptions,
  namespace: string | undefined,
): Promise<KubeObject[]> {
  return (await readUsage())
    .filter(({ pod }) => namespace === undefined || pod.metadata.namespace === namespace)
    .map((used) => {
      const containers = used.containers.map(({ name, ...usage }) => ({
        name,
        usage: inQuantities(usage),
      }))
      return metricsOf(used.pod, { ...used, kind: 'PodMetrics', content: { containers } })
    })
}

/** The metrics of the host's nodes, or else the sums of the plane's pods on each node; none for a node without metrics. */
async function nodeMetrics({ nodes, readNodes, readUsage }: MetricsOptions): Promise<KubeObject[]> {
  const kind = 'NodeMetrics'
  if (readNodes !== undefined) {
    const onHost = new Map((await readNodes()).map((one) => [one.metadata.name, one]))
    return [...nodes.values()].filter(isVirtual).flatMap((node) => {
      const found = onHost.get(node.metadata.name)
      if (found === undefined) {
        return []
      }
      const { timestamp, usage, window } = found
      return [metricsOf(node, { timestamp, window, kind, content: { usage } })]
    })
  }
  const usages = Map.groupBy(await readUsage(), ({ node }) => node)
  return [...nodes.values()].flatMap((node) => {
    const onIt = usages.get(node.metadata.name) ?? []
    const last = onIt.toSorted((left, right) => (left.timestamp < right.timestamp ? -1 : 1)).at(-1)
    const usage = inQuantities(sumOf(onIt.flatMap(({ containers }) => containers)))
    return last === undefined ? [] : [metricsOf(node, { ...last, kind, content: { usage } })]
  })
}

interface Measured extends Record<'timestamp' | 'window', unknown> {
  kind: string
  content: object
}

function metricsOf(
  { metadata: { labels, name = '', namespace } }: KubeObject,
  { content, kind, timestamp, window }: Measured,
): KubeObject {
  return {
    kind,
    apiVersion: METRICS_API,
    metadata: { name, ...provided({ namespace, labels }), creationTimestamp: timestamp },
    timestamp,
    window,
    ...content,
  }
}

function inQuantities({ memoryBytes, nanoCores }: Usage): Record<string, string> {
  return { cpu: `${nanoCores}n`, memory: `${memoryBytes}` }
}
