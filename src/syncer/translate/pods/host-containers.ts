import { picked } from '../reading.ts'
import { toHostEnv, toHostEnvFrom } from './container-env.ts'
import { demand, knownFields, type PodDraft } from '../pod-draft/pod-draft.ts'
import { checkedContainerSecurity } from './security-rules.ts'
import { type Json, recordAt, recordsAt, textAt } from '../../../shared/json-fields.ts'

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe']
const HOOKS = ['postStart', 'preStop']

/** The same on the host, when the policy allows what they say. */
const KEPT_FIELDS = [
  ...PROBES,
  'args',
  'command',
  'image',
  'imagePullPolicy',
  'lifecycle',
  'name',
  'ports',
  'resizePolicy',
  'resources',
  'restartPolicy',
  'restartPolicyRules',
  'stdin',
  'stdinOnce',
  'targetContainerName',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'tty',
  'volumeDevices',
  'volumeMounts',
  'workingDir',
]

/** The containers in a field of a pod's spec, for the host. */
export function toHostContainers(draft: PodDraft, field: 'containers' | 'initContainers'): Json[] {
  return recordsAt(draft.pod.spec, field).map((container) =>
    toHostContainer(draft, container, `spec.${field}[${textAt(container, 'name') ?? ''}]`),
  )
}

/** One container for the host: its environment is the plane's. */
export function toHostContainer(draft: PodDraft, container: Json, at: string): Json {
  const known = knownFields(draft, container, {
    at,
    fields: [...KEPT_FIELDS, 'env', 'envFrom', 'securityContext'],
  })
  checkPorts(draft, known, at)
  checkHandlers(draft, known, at)
  const resources = recordAt(known, 'resources') ?? {}
  knownFields(draft, resources, { at: `${at}.resources`, fields: ['limits', 'requests'] })
  const security = recordAt(known, 'securityContext')
  const envFrom = toHostEnvFrom(draft, known, at)
  return {
    ...picked(known, KEPT_FIELDS),
    env: toHostEnv(draft, known, at),
    ...(envFrom.length === 0 ? {} : { envFrom }),
    ...(security === undefined
      ? {}
      : {
          securityContext: checkedContainerSecurity(draft, security, `${at}.securityContext`),
        }),
  }
}

/** With the node's network every port is one of the node; the API fills `hostPort` in then. */
function checkPorts(draft: PodDraft, container: Json, at: string): void {
  const hasHostPort = recordsAt(container, 'ports').some(
    ({ hostPort }) => hostPort !== undefined && hostPort !== null && hostPort !== 0,
  )
  if (hasHostPort && draft.pod.spec['hostNetwork'] !== true) {
    demand(draft, 'hostPorts', `${at}.ports.hostPort`)
  }
}

/** A probe of another host is a request that the node sends, from where the pod itself may not be let through. */
function checkHandlers(draft: PodDraft, container: Json, at: string): void {
  const lifecycle = recordAt(container, 'lifecycle') ?? {}
  const handlers = [
    ...PROBES.map((field) => [field, recordAt(container, field)] as const),
    ...HOOKS.map((field) => [`lifecycle.${field}`, recordAt(lifecycle, field)] as const),
  ]
  for (const [field, handler] of handlers) {
    for (const kind of ['httpGet', 'tcpSocket']) {
      if (textAt(handler, kind, 'host') !== undefined) {
        demand(draft, 'hostProbes', `${at}.${field}.${kind}.host`)
      }
    }
  }
}
