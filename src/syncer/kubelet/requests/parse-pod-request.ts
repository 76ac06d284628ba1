import type { KubeletAnswer } from './kubelet-answer.ts'

export interface PodRequest {
  endpoint: Endpoint
  namespace: string
  pod: string
  /** UID of the pod, if the client wants no other pod of this name. */
  uid?: string
  /** Undefined for ports, which belong to the pod. */
  container?: string
}

export type Endpoint = 'containerLogs' | 'exec' | 'attach' | 'portForward'

type Part = 'namespace' | 'pod' | 'uid' | 'container'

const IN_CONTAINER: readonly Part[][] = [
  ['namespace', 'pod', 'container'],
  ['namespace', 'pod', 'uid', 'container'],
]
const IN_POD: readonly Part[][] = [
  ['namespace', 'pod'],
  ['namespace', 'pod', 'uid'],
]

/** The endpoints of kubelets: pkg/kubelet/server/server.go, InstallAuthRequiredHandlers. */
const ENDPOINTS: Record<Endpoint, { methods: readonly string[]; forms: readonly Part[][] }> = {
  containerLogs: { methods: ['GET'], forms: IN_CONTAINER.slice(0, 1) },
  exec: { methods: ['GET', 'POST'], forms: IN_CONTAINER },
  attach: { methods: ['GET', 'POST'], forms: IN_CONTAINER },
  portForward: { methods: ['GET', 'POST'], forms: IN_POD },
}

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/

const FORMATS: Record<Part, RegExp> = {
  namespace: LABEL,
  pod: SUBDOMAIN,
  uid: /^[A-Za-z0-9-]{1,128}$/,
  container: LABEL,
}

/** The request to a pod in a path, or why it is refused; undefined for other paths. */
export function parsePodRequest(
  method: string | undefined,
  path: string,
): PodRequest | KubeletAnswer | undefined {
  const [, endpoint = '', ...segments] = path.split('/')
  if (!isEndpoint(endpoint)) {
    return undefined
  }
  const { forms, methods } = ENDPOINTS[endpoint]
  const form = forms.find(({ length }) => length === segments.length)
  if (form === undefined) {
    return { status: 404, body: `/${endpoint} with ${segments.length} parts does not exist` }
  }
  if (method === undefined || !methods.includes(method)) {
    const body = `/${endpoint} only allows ${methods.join(' and ')}`
    return { status: 405, body, allow: methods }
  }
  const parts = { namespace: '', pod: '' }
  for (const [index, part] of form.entries()) {
    const name = decode(segments[index] ?? '')
    if (!FORMATS[part].test(name)) {
      return { status: 400, body: `part ${index + 1} of the path is not a valid ${part}` }
    }
    Object.assign(parts, { [part]: name })
  }
  return { endpoint, ...parts }
}

/** Whether a path belongs to an endpoint that changes the protocol. */
export function isStreaming(url: string | undefined): boolean {
  const [, endpoint = ''] = (url ?? '').split(/[/?]/, 2)
  return isEndpoint(endpoint) && endpoint !== 'containerLogs'
}

function isEndpoint(text: string): text is Endpoint {
  return Object.hasOwn(ENDPOINTS, text)
}

/** Decodes a name; empty, and so invalid, when it cannot be decoded. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}
