import { VplaneError } from '../shared/errors.ts'
import type { Expose, HostSpec, PodSettings, Workload } from './host-spec.ts'
import { PRESETS } from './presets.ts'
import { quantityValue } from './quantity.ts'
import type { UserSpec } from './spec.ts'

/** The fields of a user's spec that say nothing about a plane of processes. */
const HOST_FIELDS = ['preset', 'storage', 'expose', 'images', 'pods'] as const
const WORKLOAD_FIELDS = ['replicas', 'resources'] as const
const COMPONENTS = ['etcd', 'apiServer', 'controllerManager'] as const

/**
 * How a plane stands in a host namespace: what the user said, and the preset for the rest.
 *
 * @throws {VplaneError} `INVALID_SPEC` when an ephemeral plane is to have several members of etcd.
 */
export function resolveHostSpec(user: UserSpec): HostSpec {
  const preset = user.preset ?? 'nano'
  const defaults = PRESETS[preset]
  const { className, size = defaults.storageSize } = user.storage ?? {}
  const etcd = resolveWorkload(user.etcd, defaults.etcd)
  if (user.ephemeral === true && etcd.replicas > 1) {
    throw new VplaneError(
      'INVALID_SPEC',
      `an ephemeral plane has one member of etcd, not ${etcd.replicas}: a member that lost its data cannot come back by itself`,
      { hints: ['--set etcd.replicas=1', 'leave ephemeral out'] },
    )
  }
  return {
    preset,
    storage: { ...(className === undefined ? {} : { className }), size },
    expose: resolveExpose(user.expose),
    images: {
      registry: user.images?.registry ?? 'registry.k8s.io',
      pullSecrets: user.images?.pullSecrets ?? [],
      pullPolicy: user.images?.pullPolicy ?? 'IfNotPresent',
    },
    pods: resolvePods(user.pods),
    etcd,
    apiServer: resolveWorkload(user.apiServer, defaults.apiServer),
    controllerManager: resolveWorkload(user.controllerManager, defaults.controllerManager),
  }
}

/**
 * Refuses what only planes in a host namespace know.
 *
 * @throws {VplaneError} `INVALID_SPEC` naming the fields.
 */
export function refuseHostFields(user: UserSpec): void {
  const said = [
    ...HOST_FIELDS.filter((field) => user[field] !== undefined),
    ...COMPONENTS.flatMap((component) =>
      WORKLOAD_FIELDS.filter((field) => user[component]?.[field] !== undefined).map(
        (field) => `${component}.${field}`,
      ),
    ),
  ]
  if (said.length > 0) {
    const names = said.map((name) => `"${name}"`).join(', ')
    throw new VplaneError(
      'INVALID_SPEC',
      `planes of the local driver have no ${names}: processes of this machine are no pods`,
      { hints: ['--driver kubernetes runs the plane in a host cluster'] },
    )
  }
}

function resolveExpose(expose: NonNullable<UserSpec['expose']> = {}): Expose {
  const { annotations, host, ingressClassName, nodePort, type } = expose
  return {
    type: type ?? 'none',
    ...(host === undefined ? {} : { host }),
    ...(ingressClassName === undefined ? {} : { ingressClassName }),
    ...(nodePort === undefined ? {} : { nodePort }),
    annotations: annotations ?? {},
  }
}

function resolvePods(pods: NonNullable<UserSpec['pods']> = {}): PodSettings {
  const { affinity, annotations, labels, nodeSelector, priorityClassName, tolerations } = pods
  return {
    nodeSelector: nodeSelector ?? {},
    tolerations: tolerations ?? [],
    ...(affinity === undefined ? {} : { affinity }),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    labels: labels ?? {},
    annotations: annotations ?? {},
  }
}

function resolveWorkload(
  user: UserSpec['etcd'] | UserSpec['apiServer'],
  preset: Workload,
): Workload {
  const merge = (kind: 'requests' | 'limits') =>
    withoutZeros({ ...preset.resources[kind], ...user?.resources?.[kind] })
  return {
    replicas: user?.replicas ?? preset.replicas,
    resources: { requests: merge('requests'), limits: merge('limits') },
  }
}

function withoutZeros(quantities: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(quantities).filter(([, quantity]) => quantityValue(quantity) !== 0),
  )
}
