import type { Finding } from '../../../control-plane/status/finding.ts'
import type { HostObject } from '../host/host-api.ts'
import { clusterKubectl, type CommandPlace } from '../context/kubectl-hint.ts'

const ENFORCED = 'pod-security.kubernetes.io/enforce'
const LEVELS = ['privileged', 'baseline', 'restricted']

/** What the host namespace itself says: whether it stays, and which pods it takes. */
export function namespaceFindings(namespace: HostObject, place: CommandPlace): Finding[] {
  return [lifeFinding(namespace, place), podSecurityFinding(namespace)]
}

/** The namespace is not there and is not to be made. */
export function missingNamespaceFinding(place: CommandPlace): Finding {
  return {
    subject: 'namespace',
    level: 'problem',
    message: `there is no namespace "${place.namespace}"`,
    hint: `${clusterKubectl(place)} create namespace ${place.namespace}, or --create-namespace`,
  }
}

interface Namespace extends HostObject {
  status?: { phase?: string; conditions?: Array<{ status?: string; message?: string }> }
}

function isNamespace(object: HostObject): object is Namespace {
  return object.kind === 'Namespace'
}

function lifeFinding(object: HostObject, place: CommandPlace): Finding {
  const subject = 'namespace'
  const { metadata } = object
  const status = isNamespace(object) ? object.status : undefined
  if (metadata['deletionTimestamp'] === undefined && status?.phase !== 'Terminating') {
    return { subject, level: 'ok', message: `"${place.namespace}" is there` }
  }
  const blockers = (status?.conditions ?? []).filter((condition) => condition.status === 'True')
  const why = blockers.map(({ message }) => message).find((message) => message !== undefined)
  return {
    subject,
    level: 'problem',
    message: `"${place.namespace}" is being deleted${why === undefined ? '' : `: ${why}`}`,
    hint: `${clusterKubectl(place)} wait --for=delete namespace/${place.namespace} --timeout=60s`,
  }
}

/** Planes meet the strictest level there is today; a later one may ask for more. */
function podSecurityFinding({ metadata: { labels = {} } }: HostObject): Finding {
  const subject = 'pod security'
  const level = labels[ENFORCED]
  if (level === undefined) {
    return { subject, level: 'ok', message: 'the namespace asks for no level' }
  }
  return LEVELS.includes(level)
    ? { subject, level: 'ok', message: `the namespace asks for "${level}"` }
    : {
        subject,
        level: 'warning',
        message: `the namespace asks for level "${level}", which vplane does not know`,
      }
}
