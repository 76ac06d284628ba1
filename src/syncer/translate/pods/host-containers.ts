import { picked, provided } from '../reading.ts'
import { toHostEnv, toHostEnvFrom } from './container-env.ts'
import { demand, knownFields, type PodDraft } from '../pod-draft/pod-draft.ts'
import { checkedContainerSecurity } from './security-rules.ts'
import { type Json, recordAt, recordsAt, textAt } from '../../../shared/json-fields.ts'

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe']
const HOOKS = ['postStart', 'preStop']

/** Copied to the host, if the policy allows their values. */
const COPIED_FIELDS = [
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

/** The host containers of a pod's list of containers. */
export function toHostContainers(draft: PodDraft, field: 'containers' | 'initContainers'): Json[] {
  return recordsAt(draft.pod.spec, field).map((container) =>
    toHostContainer(draft, container, `spec.${field}[${textAt(container, 'name') ?? ''}]`),
  )
}

/** The host container of a virtual one, with the plane's environment variables. */
export function toHostContainer(draft: PodDraft, container: Json, at: string): Json {
  const fields = [...COPIED_FIELDS, 'env', 'envFrom', 'securityContext']
  const known = knownFields(draft, container, { at, fields })
  checkPorts(draft, known, at)
  checkHandlers(draft, known, at)
  const resources = recordAt(known, 'resources') ?? {}
  knownFields(draft, resources, { at: `${at}.resources`, fields: ['limits', 'requests'] })
  const security = recordAt(known, 'securityContext')
  const envFrom = toHostEnvFrom(draft, known, at)
  return {
    ...picked(known, COPIED_FIELDS),
    env: toHostEnv(draft, known, at),
    ...provided({
      envFrom,
      securityContext:
        security && checkedContainerSecurity(draft, security, `${at}.securityContext`),
    }),
  }
}

/** With the node's network every port is a port of the node, and the API sets `hostPort`. */
function checkPorts(draft: PodDraft, container: Json, at: string): void {
  const hasHostPort = recordsAt(container, 'ports').some(
    ({ hostPort }) => hostPort !== undefined && hostPort !== null && hostPort !== 0,
  )
  if (hasHostPort && draft.pod.spec['hostNetwork'] !== true) {
    demand(draft, 'hostPorts', `${at}.ports.hostPort`)
  }
}

/** The node sends a probe of another host, and may have access where the pod has none. */
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
