import type { AnyComponentName } from '../../../../control-plane/plane/plane.ts'
import type { Finding } from '../../../../control-plane/status/finding.ts'
import { clusterKubectl, type CommandPlace, kubectl } from '../../context/kubectl-hint.ts'
import { specPathOf } from '../../context/object-names.ts'
import type { Hint } from '../../../../shared/hint.ts'

interface DryRunRefusal {
  status: number
  message: string
  kind: string
  /** For the fields of the spec in hints. */
  component?: AnyComponentName | undefined
}

/** A refusal as a problem of the plane. */
interface Refusal extends Finding {
  /** The host may accept the same object later, without a change of anything. @default false */
  isTransient?: boolean
}

interface Rule extends Pick<Refusal, 'isTransient'> {
  pattern: RegExp
  /** Missing for refusals that are not about the plane. */
  explain?: (match: RegExpExecArray, place: RefusedPlace) => Omit<Finding, 'level'>
}

interface RefusedPlace extends CommandPlace {
  component: AnyComponentName | undefined
}

/** From specific to general; messages as of Kubernetes 1.36. */
const RULES: readonly Rule[] = [
  // The user may create workloads, but no pods: the admission has checked nothing.
  { pattern: /is forbidden: User "/ },
  { pattern: /does not support dry run/ },
  // Hosts that choose ids themselves refuse those of the trial pod; the plane's pods have none there.
  { pattern: /unable to validate against any security context constraint/ },
  // A new namespace has no ServiceAccount for a moment.
  { pattern: /service account \S+\/default: serviceaccount "default" not found/ },
  {
    pattern: /violates PodSecurity "([^"]*)": ([^]*)/,
    explain: ([, level = '', what = ''], place) => ({
      subject: 'pod security',
      message: `the namespace enforces "${level}": ${what}`,
      hint: `${clusterKubectl(place)} label namespace ${place.namespace} --overwrite pod-security.kubernetes.io/enforce=baseline`,
    }),
  },
  {
    pattern: /(?:exceeded|failed) quota: ([^,:]+)[,:] ([^]*)/,
    explain: ([, quota = '', what = ''], place) => ({
      subject: `quota "${quota}"`,
      message: what,
      hint: sizesToName(what, place) ?? kubectl(place, `describe resourcequota ${quota}`),
    }),
  },
  {
    pattern: /is forbidden: (\[?(?:minimum|maximum|\S+ max limit to request ratio) [^]*)/,
    explain: ([, what = ''], place) => ({
      subject: 'limits',
      message: what.replaceAll(/^\[|\]$/g, ''),
      hint: sizesToSet(what, place) ?? kubectl(place, 'describe limitrange'),
    }),
  },
  {
    pattern: /no PriorityClass with name (\S+) was found/,
    explain: ([, name = ''], place) => ({
      subject: 'priority class',
      message: `the host cluster has no PriorityClass "${name}"`,
      hint: [
        { set: 'pods.priorityClassName=NAME' },
        `to list them: ${clusterKubectl(place)} get priorityclasses`,
      ],
    }),
  },
  {
    // It may be starting.
    isTransient: true,
    pattern: /failed calling webhook "([^"]*)": (?:failed to call webhook: )?([^]*)/,
    explain: ([, webhook = '', why = ''], place) => ({
      subject: 'admission',
      message: `webhook "${webhook}" of the host cluster does not answer: ${why}`,
      hint: `${clusterKubectl(place)} get validatingwebhookconfigurations,mutatingwebhookconfigurations`,
    }),
  },
  {
    pattern: /admission webhook "([^"]*)" denied the request(?:: ([^]*)|.*)/,
    explain: ([, webhook = '', why = 'it gives no reason'], place) => ({
      subject: 'admission',
      message: `webhook "${webhook}" of the host cluster refuses: ${why}`,
      hint: `${clusterKubectl(place)} get validatingwebhookconfigurations`,
    }),
  },
  {
    pattern: /ValidatingAdmissionPolicy '([^']*)'.*? denied request: ([^]*)/,
    explain: ([, policy = '', why = ''], place) => ({
      subject: 'admission',
      message: `policy "${policy}" of the host cluster refuses: ${why}`,
      hint: `${clusterKubectl(place)} describe validatingadmissionpolicy ${policy}`,
    }),
  },
  {
    // The StatefulSet creates the claim again after the deletion.
    isTransient: true,
    pattern: /pvc (\S+) is being deleted/,
    explain: ([, claim = ''], place) => ({
      subject: 'volume claim',
      message: `"${claim}" is being deleted`,
      hint: kubectl(place, `describe persistentvolumeclaim ${claim}`),
    }),
  },
  {
    pattern: /nodePort: Invalid value: (\d+): (.*)/,
    explain: ([, port = '', why = '']) => ({
      subject: 'node port',
      message: `${port}: ${why}`,
      hint: [
        { purpose: 'another port', set: 'expose.nodePort=PORT' },
        'or omit it for a free port',
      ],
    }),
  },
]

/** `must specify limits.cpu for: etcd; memory for: etcd`: without a prefix, requests are missing. */
function sizesToName(what: string, { component }: RefusedPlace): Hint[] | undefined {
  const sizes = [...what.matchAll(/(?:(requests|limits)\.)?(cpu|memory) for: /g)]
  return settings(
    component,
    sizes.map(([, kind = 'requests', size = '']) => `${kind}.${size}=QUANTITY`),
  )
}

/** `maximum memory usage per Container is 1Gi, but limit is 2Gi`: returns the allowed values. */
function sizesToSet(what: string, { component }: RefusedPlace): Hint[] | undefined {
  const bounds = [
    ...what.matchAll(/imum (\S+) usage per (\w+) is ([^\s,]+?)(?:, but|\. {2}No) (request|limit)/g),
  ]
  const volume = bounds.find(([, , type]) => type === 'PersistentVolumeClaim')
  return volume === undefined
    ? settings(
        component,
        bounds.map(([, size, , bound, kind]) => `${kind}s.${size}=${bound}`),
      )
    : [{ storageSize: volume[3] }]
}

function settings(
  component: AnyComponentName | undefined,
  sizes: readonly string[],
): Hint[] | undefined {
  const path = specPathOf(component)
  return path === undefined || sizes.length === 0
    ? undefined
    : sizes.map((size) => ({ set: `${path}.resources.${size}` }))
}

/** Undefined when the refusal is not about the plane. */
export function explainRefusal(
  { component, kind, message, status }: DryRunRefusal,
  place: CommandPlace,
): Refusal | undefined {
  for (const { explain, isTransient = false, pattern } of RULES) {
    const match = pattern.exec(message)
    if (match !== null) {
      return explain === undefined
        ? undefined
        : { level: 'problem', isTransient, ...explain(match, { ...place, component }) }
    }
  }
  const isVerdict = [400, 403, 422].includes(status)
  return isVerdict ? { subject: kind.toLowerCase(), level: 'problem', message } : undefined
}
