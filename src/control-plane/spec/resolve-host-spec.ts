import { HELPER_IMAGE } from './helper-image.ts'
import { VplaneError } from '../../shared/errors.ts'
import type {
  Expose,
  HostSpec,
  KeeperSpec,
  PodSettings,
  SyncSpec,
  Workload,
} from './fields/host-spec.ts'
import { needsKeeper } from './needs-keeper.ts'
import { PRESETS } from './presets.ts'
import { quantityValue } from './fields/quantity.ts'
import type { UserSpec } from './spec.ts'

/** The fields of a user's spec that say nothing about a plane of processes. */
const HOST_FIELDS = [
  'preset',
  'storage',
  'expose',
  'images',
  'pods',
  'sync',
  'scheduler',
  'keeper',
  'metrics',
] as const
const WORKLOAD_FIELDS = ['replicas', 'resources'] as const
const COMPONENTS = ['etcd', 'apiServer', 'controllerManager'] as const

/**
 * How a plane stands in a host namespace: what the user said, and the preset for the rest.
 *
 * @throws {VplaneError} `INVALID_SPEC` when a scheduler of its own would have no nodes, or its backups no place.
 */
export function resolveHostSpec(user: UserSpec): HostSpec {
  const preset = user.preset ?? 'nano'
  const defaults = PRESETS[preset]
  const { className, size = defaults.storageSize } = user.storage ?? {}
  const etcd = resolveWorkload(user.etcd, defaults.etcd)
  const monitor = resolveMonitor(user)
  checkScheduler(user)
  checkBackup(user)
  return {
    preset,
    storage: { ...(className === undefined ? {} : { className }), size },
    expose: resolveExpose(user.expose),
    images: {
      registry: user.images?.registry ?? 'registry.k8s.io',
      ...(user.images?.helper === undefined ? {} : { helper: user.images.helper }),
      pullSecrets: user.images?.pullSecrets ?? [],
      pullPolicy: user.images?.pullPolicy ?? 'IfNotPresent',
    },
    pods: resolvePods(user.pods),
    etcd,
    apiServer: resolveWorkload(user.apiServer, defaults.apiServer),
    controllerManager: resolveWorkload(user.controllerManager, defaults.controllerManager),
    ...(asksForPods(user) ? { sync: resolveSync(user, defaults.sync) } : {}),
    ...(hasScheduler(user)
      ? { scheduler: resolveWorkload(user.scheduler, defaults.scheduler) }
      : {}),
    ...monitor,
    ...(needsKeeper({ ...user, host: { etcd, ...monitor } })
      ? { keeper: resolveKeeper(user, defaults.keeper) }
      : {}),
  }
}

/** Tells whether a plane is to run pods. */
export function asksForPods({ sync }: UserSpec): boolean {
  return sync !== undefined && sync.enabled !== false
}

/** Tells whether a plane is to choose the nodes of its pods itself. */
export function hasScheduler(user: UserSpec): boolean {
  return asksForPods(user) && user.sync?.scheduler === 'virtual'
}

function checkScheduler(user: UserSpec): void {
  if (hasScheduler(user) && user.sync?.nodes !== true) {
    throw new VplaneError(
      'INVALID_SPEC',
      '"sync.scheduler: virtual" needs "sync.nodes": a scheduler of the plane chooses among nodes like those of the host',
      { hints: [{ syncNodes: true }, { set: 'sync.scheduler=host' }] },
    )
  }
  if (user.scheduler !== undefined && !hasScheduler(user)) {
    throw new VplaneError(
      'INVALID_SPEC',
      '"scheduler" is about a scheduler of the plane itself, which this plane does not have',
      { hints: [{ syncNodes: true, set: 'sync.scheduler=virtual' }, 'leave scheduler out'] },
    )
  }
}

function checkBackup({ backup }: UserSpec): void {
  if (backup !== undefined && backup.store === undefined) {
    throw new VplaneError(
      'INVALID_SPEC',
      '"backup" needs a "store": what runs in a host cluster cannot keep anything on this machine',
      { hints: [{ set: 'backup.store=s3://BUCKET/PREFIX' }, { set: 'backup.secret=NAME' }] },
    )
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
    ...(user.backup?.secret === undefined ? [] : ['backup.secret']),
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
      { hints: [{ purpose: 'to run the plane in a host cluster', driver: 'kubernetes' }] },
    )
  }
}

/** What a user's spec says that processes of a machine have too. */
export function withoutHostFields(user: UserSpec): UserSpec {
  const isOfHost = (name: string) => HOST_FIELDS.some((field) => field === name)
  const entries = Object.entries(user).filter(([name]) => !isOfHost(name))
  const kept: UserSpec = withoutSecret(Object.fromEntries(entries))
  return COMPONENTS.reduce((spec, component) => {
    const { replicas: _count, resources: _size, ...rest } = spec[component] ?? {}
    return spec[component] === undefined ? spec : { ...spec, [component]: rest }
  }, kept)
}

function withoutSecret(user: UserSpec): UserSpec {
  if (user.backup === undefined) {
    return user
  }
  const { secret: _secret, ...backup } = user.backup
  return { ...user, backup }
}

function resolveSync({ images, sync = {} }: UserSpec, preset: Workload): SyncSpec {
  const {
    classes,
    dnsImage,
    extraRights,
    hostClusterDomain,
    hostServices,
    image,
    metrics,
    nodes,
    pods,
    scheduler,
    serviceRange,
  } = sync
  const registry = images?.registry ?? 'registry.k8s.io'
  return {
    image: image ?? images?.helper ?? HELPER_IMAGE,
    dnsImage: dnsImage ?? `${registry}/coredns/coredns:v1.14.6`,
    ...(nodes === undefined ? {} : { nodes }),
    ...(scheduler === undefined ? {} : { scheduler }),
    ...(classes === undefined ? {} : { classes }),
    ...(hostServices === undefined ? {} : { hostServices }),
    ...(hostClusterDomain === undefined ? {} : { hostClusterDomain }),
    ...(extraRights === undefined ? {} : { extraRights }),
    ...(metrics === undefined ? {} : { metrics }),
    ...(serviceRange === undefined ? {} : { serviceRange }),
    ...(pods === undefined
      ? {}
      : { pods: { allow: pods.allow ?? [], csiDrivers: pods.csiDrivers ?? [] } }),
    ...classesOf(sync),
    ...resolveWorkload(sync, preset),
  }
}

function classesOf(sync: NonNullable<UserSpec['sync']>): Partial<SyncSpec> {
  const { ingressClasses, priorityClasses, runtimeClasses, storageClasses } = sync
  return {
    ...(ingressClasses === undefined ? {} : { ingressClasses }),
    ...(priorityClasses === undefined ? {} : { priorityClasses }),
    ...(runtimeClasses === undefined ? {} : { runtimeClasses }),
    ...(storageClasses === undefined ? {} : { storageClasses }),
  }
}

function resolveMonitor({ metrics }: UserSpec): Pick<HostSpec, 'monitor'> {
  return metrics?.serviceMonitor === true ? { monitor: { labels: metrics.labels ?? {} } } : {}
}

function resolveKeeper({ images, keeper }: UserSpec, preset: Workload): KeeperSpec {
  const image = keeper?.image ?? images?.helper ?? HELPER_IMAGE
  return { image, ...resolveWorkload(keeper, preset) }
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
  user: Partial<Pick<NonNullable<UserSpec['sync']>, 'replicas' | 'resources'>> | undefined,
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
