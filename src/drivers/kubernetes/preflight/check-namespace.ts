import type { Finding } from '../../../control-plane/status/finding.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PreflightRequest } from '../context/context.ts'
import { clusterKubectl, type CommandPlace } from '../context/kubectl-hint.ts'
import { mayDo } from './rights/allowed-rights.ts'
import { recordsAt, textAt } from '../../../shared/json-fields.ts'
import { isLeaving, type KubeObject } from '../../../shared/kube/kube-object.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import { unlessStatus } from '../../../kube/kube-error.ts'

const ENFORCED = 'pod-security.kubernetes.io/enforce'
const LEVELS = ['privileged', 'baseline', 'restricted']

/** Checks whether the host namespace exists or can be created, and its Pod Security level. */
export async function checkNamespace(
  api: Pick<HostApi, 'create' | 'get'>,
  options: Pick<PreflightRequest, 'createNamespace' | 'hostContext' | 'namespace' | 'signal'>,
): Promise<Finding[]> {
  const { createNamespace, namespace, signal } = options
  const reading = api.get(objectPath('namespaces', { name: namespace }), { signal })
  const read = await unlessStatus(
    [403],
    reading.then((found) => ({ found })),
  )
  if (read === undefined) {
    return []
  }
  if (read.found !== undefined) {
    return [...deletionFindings(read.found, options), ...podSecurityFindings(read.found)]
  }
  const message = `namespace "${namespace}" does not exist`
  const command = `${clusterKubectl(options)} create namespace ${namespace}`
  if (!createNamespace) {
    return [problem(message, [command, { purpose: 'or', createNamespace: true }])]
  }
  const creating = { verb: 'create', group: '', resource: 'namespaces' }
  if (await mayDo(api, creating, { signal })) {
    return []
  }
  const another = { purpose: 'or use another one', namespace: 'NAMESPACE' }
  const hint = [`ask an administrator to create it: ${command}`, another]
  return [problem(`${message}, and you may not create it`, hint)]
}

function deletionFindings(namespace: KubeObject, place: CommandPlace): Finding[] {
  if (!isLeaving(namespace) && textAt(namespace, 'status', 'phase') !== 'Terminating') {
    return []
  }
  const why = recordsAt(namespace, 'status', 'conditions')
    .filter(({ status }) => status === 'True')
    .map((condition) => textAt(condition, 'message'))
    .find((message) => message !== undefined)
  return [
    problem(
      `"${place.namespace}" is being deleted${why === undefined ? '' : `: ${why}`}`,
      `${clusterKubectl(place)} wait --for=delete namespace/${place.namespace} --timeout=60s`,
    ),
  ]
}

/** Planes fulfil the strictest current level; a later level may require more. */
function podSecurityFindings({ metadata: { labels = {} } }: KubeObject): Finding[] {
  const level = labels[ENFORCED]
  const message = `the namespace enforces level "${level}", which vplane does not know`
  return level === undefined || LEVELS.includes(level)
    ? []
    : [{ subject: 'pod security', level: 'warning', message }]
}

function problem(message: string, hint: NonNullable<Finding['hint']>): Finding {
  return { subject: 'namespace', level: 'problem', message, hint }
}
