import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { ObjectCache } from '../engine/object-cache.ts'
import type { KubeletAnswer } from '../kubelet/requests/kubelet-answer.ts'
import { isVirtual } from '../translate/markers.ts'
import { type ReadUsage, sumOf, type Usage } from './host-usage.ts'
import { parseSelectors } from './parse-selectors.ts'

export interface MetricsOptions {
  readUsage: ReadUsage
  /** Gives the metrics of the host's nodes, where the plane shows these. @default it does not */
  readNodes?: (() => Promise<KubeObject[]>) | undefined
  /** The plane's nodes. */
  nodes: Pick<ObjectCache, 'values'>
  /** Told why the host did not answer. */
  onError: (what: string, error: unknown) => void
}

const METRICS_API = 'metrics.k8s.io/v1beta1'

const PATH =
  /^\/apis\/metrics\.k8s\.io\/v1beta1(?:\/namespaces\/(?<namespace>[^/]+)(?=\/pods))?(?:\/(?<resource>nodes|pods)(?:\/(?<name>[^/]+))?)?\/?$/

/**
 * Answers a request to the API metrics.k8s.io, as metrics-server does. What the API has is said whether the host answers or
 * not: a plane whose APIs do not say what they have deletes no namespace.
 */
export async function answerMetrics(
  { method, url = '' }: { method?: string | undefined; url?: string | undefined },
  options: MetricsOptions,
): Promise<KubeletAnswer> {
  const { pathname, searchParams: query } = new URL(url, 'https://plane')
  const asked = PATH.exec(pathname)?.groups
  if (asked === undefined) {
    return refuseMetrics(404, 'NotFound', `the server could not find "${pathname}"`)
  }
  if (method !== 'GET' || ['1', 'true'].includes(query.get('watch') ?? '')) {
    return refuseMetrics(405, 'MethodNotAllowed', 'metrics can be read alone, and not be watched')
  }
  const { name, namespace, resource } = asked
  if (resource === undefined) {
    return say(200, RESOURCES)
  }
  const selects = parseSelectors(query)
  try {
    const all = await (resource === 'nodes' ? nodeMetrics(options) : podMetrics(options, namespace))
    if (name !== undefined) {
      const found = all.find(({ metadata }) => metadata.name === name)
      return found === undefined
        ? refuseMetrics(404, 'NotFound', `${resource}.metrics.k8s.io "${name}" not found`)
        : say(200, found)
    }
    if (typeof selects === 'string') {
      return refuseMetrics(400, 'BadRequest', selects)
    }
    const kind = resource === 'nodes' ? 'NodeMetricsList' : 'PodMetricsList'
    return say(200, { kind, apiVersion: METRICS_API, metadata: {}, items: all.filter(selects) })
  } catch (error) {
    // How the host says it is not for users of the plane.
    options.onError('metrics', error)
    return refuseMetrics(503, 'ServiceUnavailable', 'the host cluster has no metrics now')
  }
}

/** An answer that says no, as API servers do. */
export function refuseMetrics(code: number, reason: string, message: string): KubeletAnswer {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' }
  return say(code, { ...status, message, reason, code })
}

function say(status: number, body: unknown): KubeletAnswer {
  return { status, body: JSON.stringify(body), contentType: 'application/json' }
}

const RESOURCES = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: METRICS_API,
  resources: [
    { name: 'nodes', namespaced: false, kind: 'NodeMetrics' },
    { name: 'pods', namespaced: true, kind: 'PodMetrics' },
  ].map((resource) => ({ ...resource, singularName: '', verbs: ['get', 'list'] })),
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

/**
 * The metrics of nodes: those of the host nodes that they stand for, where the plane shows these, or else what the plane's
 * pods on each use together. A node of which nothing was measured has none.
 */
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
  /** What was measured. */
  content: object
}

function metricsOf(
  { metadata: { labels, name = '', namespace } }: KubeObject,
  { content, kind, timestamp, window }: Measured,
): KubeObject {
  return {
    kind,
    apiVersion: METRICS_API,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      creationTimestamp: timestamp,
    },
    timestamp,
    window,
    ...content,
  }
}

function inQuantities({ memoryBytes, nanoCores }: Usage): Record<string, string> {
  return { cpu: `${nanoCores}n`, memory: `${memoryBytes}` }
}
