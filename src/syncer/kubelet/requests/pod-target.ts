import { toVirtualWords } from '../../translate/virtual-words.ts'
import type { KubeletAnswer } from './kubelet-answer.ts'
import type { Endpoint, PodRequest } from './parse-pod-request.ts'
import { formatQuery, type Query } from './parse-query.ts'

export interface LocatedPod {
  namespace: string
  name: string
  uid?: string | undefined
  virtualUid?: string | undefined
  /** The names of the containers that are of its virtual pod: the host may have added others. */
  containers: readonly string[]
}

/** The host's equivalent of a request to a virtual pod. */
export interface PodTarget {
  path: string
  /** Replaces the host's names in an answer by the names of the plane. */
  toVirtual: (answer: KubeletAnswer) => KubeletAnswer
}

type Pairs = (readonly [string, string])[]

/** All parameters that kube-apiserver sends: pkg/registry/core/pod/strategy.go, LogLocation. */
const LOG_PARAMETERS = [
  'follow',
  'previous',
  'timestamps',
  'sinceSeconds',
  'sinceTime',
  'tailLines',
  'limitBytes',
  'stream',
]

/** The names of parameters for kubelets and for API servers: pkg/apis/core/types.go, ExecStdinParam. */
const STREAMS = [
  ['input', 'stdin'],
  ['output', 'stdout'],
  ['error', 'stderr'],
  ['tty', 'tty'],
] as const

/** The subresource of the host's API server for each endpoint, and its query. */
const SUBRESOURCES: Record<Endpoint, { name: string; pairsOf: (query: Query) => Pairs }> = {
  containerLogs: { name: 'log', pairsOf: logPairs },
  exec: { name: 'exec', pairsOf: (query) => [...all('command', query), ...streamPairs(query)] },
  attach: { name: 'attach', pairsOf: streamPairs },
  portForward: { name: 'portforward', pairsOf: portPairs },
}

/** The target of a request, or the 404 of a kubelet without that pod. */
export function podTarget(
  request: PodRequest,
  { located, query }: { located: LocatedPod | undefined; query: Query },
): PodTarget | KubeletAnswer {
  const { container, namespace, pod, uid } = request
  if (located === undefined) {
    return { status: 404, body: `pod "${pod}" does not exist` }
  }
  if (uid !== undefined && uid !== located.virtualUid) {
    return { status: 404, body: `pod "${pod}" with UID "${uid}" does not exist` }
  }
  if (container !== undefined && !located.containers.includes(container)) {
    return { status: 404, body: `container "${container}" of pod "${pod}" does not exist` }
  }
  const names = { host: located, virtual: { namespace, name: pod, uid: located.virtualUid } }
  return {
    path: hostPath(request, located, query),
    toVirtual: (answer) => ({ ...answer, body: toVirtualWords(answer.body, names) }),
  }
}

/** Path and query for the host's API server, from a request to a kubelet. */
export function hostPath(
  { container, endpoint }: PodRequest,
  pod: { namespace: string; name: string },
  query: Query,
): string {
  const { name, pairsOf } = SUBRESOURCES[endpoint]
  const inContainer: Pairs = container === undefined ? [] : [['container', container]]
  const [namespace, podName] = [pod.namespace, pod.name].map(encodeURIComponent)
  return `/api/v1/namespaces/${namespace}/pods/${podName}/${name}${formatQuery([...inContainer, ...pairsOf(query)])}`
}

/** Of a repeated parameter only the first value counts, as everywhere in Kubernetes. */
function logPairs(query: Query): Pairs {
  return LOG_PARAMETERS.flatMap((name) => {
    const value = query.get(name)?.[0]
    // An older host refuses this parameter, also with its default value.
    return value === undefined || (name === 'stream' && value === 'All') ? [] : [[name, value]]
  })
}

function streamPairs(query: Query): Pairs {
  return STREAMS.flatMap(([name, hostName]) =>
    ['1', 'true'].includes(query.get(name)?.[0] ?? '') ? [[hostName, 'true']] : [],
  )
}

/** Ports of websockets, several in one value; with SPDY, the streams contain them. */
function portPairs(query: Query): Pairs {
  return all('port', query).flatMap(([, ports]) => ports.split(',').map((port) => ['ports', port]))
}

function all(name: string, query: Query): Pairs {
  return (query.get(name) ?? []).map((value) => [name, value])
}
