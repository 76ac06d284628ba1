import { VplaneError } from '../../shared/errors.ts'
import { fieldAt } from '../../shared/json-fields.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import type {
  ComponentWorkload,
  Expose,
  HostSpec,
  KeeperSpec,
  PodSettings,
  SyncSpec,
  Workload,
} from './fields/host-spec.ts'
import { checkCredentials } from './check-credentials.ts'
import { needsKeeper } from './needs-keeper.ts'
import { PRESETS } from './presets.ts'
import { quantityValue } from './fields/quantity.ts'
import { resolvePolicies } from './resolve-policies.ts'
import type { PlaneSpec, UserSpec } from './spec.ts'

/** Runs vplane's own programs in a host namespace, so that no image of vplane has to be published. */
export const HELPER_IMAGE = 'docker.io/library/node:24-alpine'

const HOST_FIELDS = [
  'preset',
  'storage',
  'expose',
  'images',
  'pods',
  'sync',
  'policies',
  'credentials',
  'scheduler',
  'keeper',
  'metrics',
] as const
const COMPONENTS = ['etcd', 'apiServer', 'controllerManager'] as const
/** Fields of parts of a spec that need a host namespace too. */
const HOST_PART_FIELDS = [
  ['backup', 'secret'],
  ['apiServer', 'egress'],
  ['store', 'resources'],
  ...COMPONENTS.flatMap((component) => [
    [component, 'replicas'] as const,
    [component, 'resources'] as const,
    [component, 'podTemplate'] as const,
  ]),
] as const

/**
 * The user's fields, and the preset for the rest.
 * @throws {VplaneError} `INVALID_SPEC` when the plane's own scheduler would have no nodes, its policies no pods, its backups no
 * store, or its credentials no address or the same Secret.
 */
export function resolveHostSpec(user: UserSpec): HostSpec {
  const preset = user.preset ?? 'nano'
  const defaults = PRESETS[preset]
  const hasKine = user.store?.kine !== undefined
  const hasEtcd = !hasKine && user.store?.etcd?.shared === undefined
  const members = resolveComponent(user.etcd, hasEtcd ? defaults.etcd : PRESETS.nano.etcd)
  const etcd = { ...members, ...(members.replicas > 1 ? { compactHashCheck: true as const } : {}) }
  const monitor =
    user.metrics?.serviceMonitor === true ? { labels: user.metrics.labels ?? {} } : undefined
  checkScheduler(user)
  checkBackup(user)
  checkCredentials(user)
  return omitUndefined({
    preset,
    storage: omitUndefined({
      className: user.storage?.className,
      size: user.storage?.size ?? defaults.storageSize,
    }),
    expose: resolveExpose(user.expose),
    images: omitUndefined({
      registry: user.images?.registry ?? 'registry.k8s.io',
      helper: user.images?.helper,
      kine: user.images?.kine,
      pullSecrets: user.images?.pullSecrets ?? [],
      pullPolicy: user.images?.pullPolicy ?? 'IfNotPresent',
    }),
    pods: resolvePods(user.pods),
    store: hasKine ? resolveWorkload(user.store, defaults.kine) : undefined,
    etcd,
    apiServer: {
      ...resolveComponent(user.apiServer, defaults.apiServer),
      egress: user.apiServer?.egress ?? [],
    },
    controllerManager: resolveComponent(user.controllerManager, defaults.controllerManager),
    sync: asksForPods(user) ? resolveSync(user, defaults.sync) : undefined,
    policies: resolvePolicies(user.policies, {
      runsPods: asksForPods(user),
      isSwitchedOff: isSwitchedOff(user),
    }),
    scheduler: hasScheduler(user)
      ? resolveComponent(user.scheduler, defaults.scheduler)
      : undefined,
    monitor,
    keeper: needsKeeper({ ...user, host: omitUndefined({ etcd, monitor }) })
      ? resolveKeeper(user, defaults.keeper)
      : undefined,
  })
}

/** The image for a program of vplane that runs once; a mirror that the spec names comes first. */
export function helperImageOf({ host }: Pick<PlaneSpec, 'host'>): string {
  const images = [host?.images.helper, host?.sync?.image, host?.keeper?.image]
  return images.find((image) => image !== undefined && image !== HELPER_IMAGE) ?? HELPER_IMAGE
}

/** Whether a plane is to run pods. */
export function asksForPods({ sync }: UserSpec): boolean {
  return sync !== undefined && sync.enabled !== false
}

/** Whether a plane has `sync` in its spec, and runs no pods for now. */
function isSwitchedOff({ sync }: UserSpec): boolean {
  return sync?.enabled === false
}

/** Whether a plane is to have its own scheduler. */
export function hasScheduler(user: UserSpec): boolean {
  return asksForPods(user) && user.sync?.scheduler === 'virtual'
}

function checkScheduler(user: UserSpec): void {
  if (hasScheduler(user) && user.sync?.nodes !== true) {
    const message =
      '"sync.scheduler: virtual" needs "sync.nodes": the plane\'s own scheduler selects among the nodes of the host'
    throw new VplaneError('INVALID_SPEC', message, {
      hints: [{ syncNodes: true }, { set: 'sync.scheduler=host' }],
    })
  }
  if (user.scheduler !== undefined && !hasScheduler(user) && !isSwitchedOff(user)) {
    const message = '"scheduler" configures the plane\'s own scheduler, and this plane has none'
    throw new VplaneError('INVALID_SPEC', message, {
      hints: [{ syncNodes: true, set: 'sync.scheduler=virtual' }, 'leave scheduler out'],
    })
  }
}

function checkBackup({ backup }: UserSpec): void {
  if (backup !== undefined && backup.store === undefined) {
    const message =
      '"backup" needs a "store": a plane in a host cluster cannot store backups on this machine'
    throw new VplaneError('INVALID_SPEC', message, {
      hints: [{ set: 'backup.store=s3://BUCKET/PREFIX' }, { set: 'backup.secret=NAME' }],
    })
  }
}

/** @throws {VplaneError} `INVALID_SPEC` with the fields that need a host namespace. */
export function refuseHostFields(user: UserSpec): void {
  const refused = [
    ...HOST_FIELDS.filter((field) => user[field] !== undefined),
    ...HOST_PART_FIELDS.filter(([part, field]) => fieldAt(user, part, field) !== undefined).map(
      ([part, field]) => `${part}.${field}`,
    ),
  ]
  if (refused.length > 0) {
    const names = refused.map((name) => `"${name}"`).join(', ')
    const message = `the local driver does not support ${names}: it runs processes on this machine, not pods`
    throw new VplaneError('INVALID_SPEC', message, {
      hints: [{ purpose: 'to run the plane in a host cluster', driver: 'kubernetes' }],
    })
  }
}

/** The fields of a user's spec that apply to the local driver too. */
export function withoutHostFields(user: UserSpec): UserSpec {
  const isHostField = (name: string) => HOST_FIELDS.some((field) => field === name)
  const entries = Object.entries(user).filter(([name]) => !isHostField(name))
  return HOST_PART_FIELDS.reduce<UserSpec>((spec, [part, field]) => {
    const { [field]: _field, ...rest }: Record<string, unknown> = { ...spec[part] }
    return spec[part] === undefined ? spec : { ...spec, [part]: rest }
  }, Object.fromEntries(entries))
}

function resolveSync({ images, sync = {} }: UserSpec, preset: Workload): SyncSpec {
  const { pods } = sync
  const registry = images?.registry ?? 'registry.k8s.io'
  return omitUndefined({
    image: sync.image ?? images?.helper ?? HELPER_IMAGE,
    dnsImage: sync.dnsImage ?? `${registry}/coredns/coredns:v1.14.6`,
    nodes: sync.nodes,
    scheduler: sync.scheduler,
    classes: sync.classes,
    hostServices: sync.hostServices,
    hostClusterDomain: sync.hostClusterDomain,
    extraRights: sync.extraRights,
    metrics: sync.metrics,
    serviceRange: sync.serviceRange,
    pods: pods && { allow: pods.allow ?? [], csiDrivers: pods.csiDrivers ?? [] },
    kinds: sync.kinds,
    labels: sync.labels ?? [],
    annotations: sync.annotations ?? [],
    ingressClasses: sync.ingressClasses,
    priorityClasses: sync.priorityClasses,
    runtimeClasses: sync.runtimeClasses,
    storageClasses: sync.storageClasses,
    ...resolveWorkload(sync, preset),
  })
}

function resolveKeeper({ images, keeper }: UserSpec, preset: Workload): KeeperSpec {
  const image = keeper?.image ?? images?.helper ?? HELPER_IMAGE
  return { image, ...resolveWorkload(keeper, preset) }
}

function resolveExpose(expose: NonNullable<UserSpec['expose']> = {}): Expose {
  return omitUndefined({
    type: expose.type ?? 'none',
    host: expose.host,
    ingressClassName: expose.ingressClassName,
    nodePort: expose.nodePort,
    annotations: expose.annotations ?? {},
  })
}

function resolvePods(pods: NonNullable<UserSpec['pods']> = {}): PodSettings {
  return omitUndefined({
    nodeSelector: pods.nodeSelector ?? {},
    tolerations: pods.tolerations ?? [],
    affinity: pods.affinity,
    priorityClassName: pods.priorityClassName,
    labels: pods.labels ?? {},
    annotations: pods.annotations ?? {},
  })
}

function resolveComponent(user: UserSpec['scheduler'], preset: Workload): ComponentWorkload {
  const { podTemplate } = user ?? {}
  return { ...resolveWorkload(user, preset), ...(podTemplate && { podTemplate }) }
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
