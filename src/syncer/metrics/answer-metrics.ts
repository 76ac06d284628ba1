import type { KubeObject } from '../../kube/kube-object.ts'
import type { ObjectCache } from '../engine/object-cache.ts'
import type { KubeletAnswer } from '../kubelet/requests/kubelet-answer.ts'
import type { ReadUsage } from './host-usage.ts'
import { METRICS_API, nodeMetrics, podMetrics, shownNodeMetrics } from './metrics-objects.ts'
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

/** What is asked of the API. */
interface Asked {
  resource: 'nodes' | 'pods'
  namespace?: string | undefined
  /** @default all */
  name?: string | undefined
  query: URLSearchParams
}

const KINDS = { nodes: 'NodeMetrics', pods: 'PodMetrics' }

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
  const parts = PATH.exec(pathname)?.groups
  if (parts === undefined) {
    return refuseMetrics(404, 'NotFound', `the server could not find "${pathname}"`)
  }
  if (method !== 'GET' || ['1', 'true'].includes(query.get('watch') ?? '')) {
    return refuseMetrics(405, 'MethodNotAllowed', 'metrics can be read alone, and not be watched')
  }
  if (parts['resource'] === undefined) {
    return say(200, RESOURCES)
  }
  const { name, namespace } = parts
  const asked: Asked = {
    resource: parts['resource'] === 'nodes' ? 'nodes' : 'pods',
    namespace,
    name,
    query,
  }
  try {
    return select(await metricsOf(asked, options), asked)
  } catch (error) {
    // How the host says it is not for users of the plane.
    options.onError('metrics', error)
    return refuseMetrics(503, 'ServiceUnavailable', 'the host cluster has no metrics now')
  }
}

const RESOURCES = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: METRICS_API,
  resources: (['nodes', 'pods'] as const).map((name) => ({
    name,
    singularName: '',
    namespaced: name === 'pods',
    kind: KINDS[name],
    verbs: ['get', 'list'],
  })),
}

async function metricsOf(
  { namespace, resource }: Asked,
  { nodes, readNodes, readUsage }: MetricsOptions,
): Promise<KubeObject[]> {
  if (resource === 'nodes') {
    return readNodes === undefined
      ? nodeMetrics(nodes.values(), await readUsage())
      : shownNodeMetrics(nodes.values(), await readNodes())
  }
  return (await readUsage())
    .filter(({ pod }) => namespace === undefined || pod.metadata.namespace === namespace)
    .map(podMetrics)
}

function select(metrics: readonly KubeObject[], { name, query, resource }: Asked): KubeletAnswer {
  if (name !== undefined) {
    const found = metrics.find(({ metadata }) => metadata.name === name)
    return found === undefined
      ? refuseMetrics(404, 'NotFound', `${resource}.metrics.k8s.io "${name}" not found`)
      : say(200, found)
  }
  const selects = parseSelectors(query)
  if (typeof selects === 'string') {
    return refuseMetrics(400, 'BadRequest', selects)
  }
  const items = metrics.filter(selects)
  return say(200, { kind: `${KINDS[resource]}List`, apiVersion: METRICS_API, metadata: {}, items })
}

/** An answer that says no, as API servers do. */
export function refuseMetrics(code: number, reason: string, message: string): KubeletAnswer {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' }
  return say(code, { ...status, message, reason, code })
}

function say(status: number, body: unknown): KubeletAnswer {
  return { status, body: JSON.stringify(body), contentType: 'application/json' }
}
