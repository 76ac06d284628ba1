import { copiedFields, type FieldDecisions } from '../field-decisions.ts'
import { picked, provided } from '../reading.ts'
import { ENV_FIELDS, ENV_FROM_FIELDS, toHostEnv, toHostEnvFrom } from './container-env.ts'
import { demand, type PodDraft } from '../pod-draft/pod-draft.ts'
import { checkedContainerSecurity, CONTAINER_SECURITY_FIELDS } from './security-rules.ts'
import { isRecord, type Json, recordAt, recordsAt, textAt } from '../../../shared/json-fields.ts'

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe']
const HOOKS = ['postStart', 'preStop']

/** A claim is an object of the plane, and its devices are of the host. */
export const NO_RESOURCE_CLAIMS =
  'refuse: is not possible in a plane: request devices of the host in limits, by their resource names'

const ACTION_FIELDS = {
  exec: { command: 'copy' },
  httpGet: {
    host: 'copy',
    httpHeaders: { name: 'copy', value: 'copy' },
    path: 'copy',
    port: 'copy',
    protocol: 'copy',
    scheme: 'copy',
  },
  tcpSocket: { host: 'copy', port: 'copy' },
} as const satisfies FieldDecisions

const PROBE_FIELDS = {
  ...ACTION_FIELDS,
  failureThreshold: 'copy',
  grpc: { mode: 'copy', port: 'copy', service: 'copy' },
  initialDelaySeconds: 'copy',
  periodSeconds: 'copy',
  successThreshold: 'copy',
  terminationGracePeriodSeconds: 'copy',
  timeoutSeconds: 'copy',
} as const satisfies FieldDecisions

const HOOK_FIELDS = { ...ACTION_FIELDS, sleep: { seconds: 'copy' } } as const

/** The decision for each field of the resources of a container or a pod. */
export const RESOURCE_FIELDS = {
  claims: NO_RESOURCE_CLAIMS,
  limits: 'copy',
  requests: 'copy',
} as const satisfies FieldDecisions

/** The policy may still refuse their values. */
const COPIED_FIELDS = {
  args: 'copy',
  command: 'copy',
  image: 'copy',
  imagePullPolicy: 'copy',
  lifecycle: { postStart: HOOK_FIELDS, preStop: HOOK_FIELDS, stopSignal: 'copy' },
  livenessProbe: PROBE_FIELDS,
  name: 'copy',
  ports: {
    containerPort: 'copy',
    hostIP: 'copy',
    hostPort: 'copy',
    name: 'copy',
    protocol: 'copy',
  },
  readinessProbe: PROBE_FIELDS,
  resizePolicy: { resourceName: 'copy', restartPolicy: 'copy' },
  resources: RESOURCE_FIELDS,
  restartPolicy: 'copy',
  restartPolicyRules: { action: 'copy', exitCodes: { operator: 'copy', values: 'copy' } },
  startupProbe: PROBE_FIELDS,
  stdin: 'copy',
  stdinOnce: 'copy',
  terminationMessagePath: 'copy',
  terminationMessagePolicy: 'copy',
  tty: 'copy',
  volumeDevices: { devicePath: 'copy', name: 'copy' },
  volumeMounts: {
    bindMountOptions: 'copy',
    mountPath: 'copy',
    mountPropagation: 'copy',
    name: 'copy',
    readOnly: 'copy',
    recursiveReadOnly: 'copy',
    subPath: 'copy',
    subPathExpr: 'copy',
  },
  workingDir: 'copy',
} as const satisfies FieldDecisions

/** The decision for each field of a container. */
export const CONTAINER_FIELDS = {
  ...COPIED_FIELDS,
  env: ENV_FIELDS,
  envFrom: ENV_FROM_FIELDS,
  securityContext: CONTAINER_SECURITY_FIELDS,
} as const satisfies FieldDecisions

/** The host containers of a pod's list of containers. */
export function toHostContainers(draft: PodDraft, field: 'containers' | 'initContainers'): Json[] {
  return recordsAt(draft.pod.spec, field).map((container) =>
    toHostContainer(draft, container, `spec.${field}[${textAt(container, 'name') ?? ''}]`),
  )
}

/** The host container of a virtual one, with the plane's environment variables. */
export function toHostContainer(draft: PodDraft, container: Json, at: string): Json {
  checkPorts(draft, container, at)
  checkHandlers(draft, container, at)
  const security = recordAt(container, 'securityContext')
  const envFrom = toHostEnvFrom(draft, container, at)
  return {
    ...withoutHttp1(copiedFields(COPIED_FIELDS, container)),
    env: toHostEnv(draft, container, at),
    ...provided({
      envFrom,
      securityContext:
        security && checkedContainerSecurity(draft, security, `${at}.securityContext`),
    }),
  }
}

/**
 * A plane with the feature gate H2CContainerProbe sets `HTTP1` in all probes, and a host of an earlier version refuses the
 * field. It means the same as no protocol (Kubernetes 1.37, SetDefaults_PodSpec of core/v1 and kubelet's prober).
 */
function withoutHttp1(container: Json): Json {
  const plain = (handler: Json) => {
    const { protocol, ...httpGet } = recordAt(handler, 'httpGet') ?? {}
    return protocol === 'HTTP1' ? { ...handler, httpGet } : handler
  }
  const changed = (record: Json, names: readonly string[]) => {
    const handlers = Object.entries(picked(record, names))
    return handlers.map(([name, one]) => [name, isRecord(one) ? plain(one) : one] as const)
  }
  const lifecycle = recordAt(container, 'lifecycle')
  return {
    ...container,
    ...Object.fromEntries(changed(container, PROBES)),
    ...(lifecycle && {
      lifecycle: { ...lifecycle, ...Object.fromEntries(changed(lifecycle, HOOKS)) },
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
