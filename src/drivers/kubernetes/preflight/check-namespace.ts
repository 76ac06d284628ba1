import type { Finding } from '../../../control-plane/status/finding.ts'
import { httpStatusOf } from '../../../kube/kube-error.ts'
import type { HostApi } from '../host/host-api.ts'
import { clusterKubectl, type CommandPlace } from '../context/kubectl-hint.ts'
import { mayDo } from './rights/allowed-rights.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { objectPath } from '../../../shared/kube/collections.ts'

const ENFORCED = 'pod-security.kubernetes.io/enforce'
const LEVELS = ['privileged', 'baseline', 'restricted']

interface Options extends CommandPlace {
  /** Whether the namespace may be made when it is missing. */
  createNamespace: boolean
  signal: AbortSignal
}

/** Whether the host namespace is there to stay, or can be made, and which pods it takes. */
export async function checkNamespace(
  api: Pick<HostApi, 'create' | 'get'>,
  options: Options,
): Promise<Finding[]> {
  const { createNamespace, namespace, signal } = options
  try {
    const found = await api.get(objectPath('namespaces', { name: namespace }), { signal })
    if (found !== undefined) {
      return [...lifeFindings(found, options), ...podSecurityFindings(found)]
    }
  } catch (error) {
    if (httpStatusOf(error) !== 403) {
      throw error
    }
    return []
  }
  const message = `there is no namespace "${namespace}"`
  const making = `${clusterKubectl(options)} create namespace ${namespace}`
  if (!createNamespace) {
    return [problem(message, [making, { purpose: 'or', createNamespace: true }])]
  }
  const creating = { verb: 'create', group: '', resource: 'namespaces' }
  const another = { purpose: 'or say another one', namespace: 'NAMESPACE' }
  return (await mayDo(api, creating, { signal }))
    ? []
    : [
        problem(`${message}, and you may not make one`, [
          `have somebody make it: ${making}`,
          another,
        ]),
      ]
}

interface Namespace extends KubeObject {
  status?: { phase?: string; conditions?: Array<{ status?: string; message?: string }> }
}

function isNamespace(object: KubeObject): object is Namespace {
  return object.kind === 'Namespace'
}

function lifeFindings(object: KubeObject, place: CommandPlace): Finding[] {
  const { metadata } = object
  const status = isNamespace(object) ? object.status : undefined
  if (metadata['deletionTimestamp'] === undefined && status?.phase !== 'Terminating') {
    return []
  }
  const blockers = (status?.conditions ?? []).filter((condition) => condition.status === 'True')
  const why = blockers.map(({ message }) => message).find((message) => message !== undefined)
  return [
    problem(
      `"${place.namespace}" is being deleted${why === undefined ? '' : `: ${why}`}`,
      `${clusterKubectl(place)} wait --for=delete namespace/${place.namespace} --timeout=60s`,
    ),
  ]
}

/** Planes meet the strictest level there is today; a later one may ask for more. */
function podSecurityFindings({ metadata: { labels = {} } }: KubeObject): Finding[] {
  const level = labels[ENFORCED]
  const message = `the namespace asks for level "${level}", which vplane does not know`
  return level === undefined || LEVELS.includes(level)
    ? []
    : [{ subject: 'pod security', level: 'warning', message }]
}

function problem(message: string, hint: NonNullable<Finding['hint']>): Finding {
  return { subject: 'namespace', level: 'problem', message, hint }
}
