import {
  etcdVersionOf,
  formatVersion,
  parseKubernetesVersion,
  DEFAULT_KUBERNETES_VERSION,
} from './kubernetes-version.ts'
import { VplaneError } from '../../shared/errors.ts'
import { resolveBackup } from './fields/backup-spec.ts'
import type { DriverName } from './driver-name.ts'
import { hasScheduler, refuseHostFields, resolveHostSpec } from './resolve-host-spec.ts'
import type { ComponentSpec, PlaneSpec, UserSpec } from './spec.ts'

/** Garbage collection target of Go's runtime: bench/README.md has the figures behind 50. */
const DEFAULT_GOGC = 50

/**
 * A user's spec with every default of this vplane filled in.
 *
 * @param driver what runs the plane: planes in a host namespace have more to say. @default 'local'
 * @throws {VplaneError} `USAGE` when the version is unknown, `INVALID_SPEC` when the driver does not know a field, or an ephemeral plane is to
 * pause itself.
 */
export function resolveSpec(user: UserSpec, driver: DriverName = 'local'): PlaneSpec {
  const version = parseKubernetesVersion(user.version ?? DEFAULT_KUBERNETES_VERSION)
  return {
    version: formatVersion(version),
    etcdVersion: etcdVersionOf(version),
    ephemeral: user.ephemeral ?? false,
    apiGroups: user.apiGroups ?? 'all',
    serviceRange: user.serviceRange ?? '10.96.0.0/16',
    clusterDomain: user.clusterDomain ?? 'cluster.local',
    ...(user.serviceAccountIssuer === undefined
      ? {}
      : { serviceAccountIssuer: user.serviceAccountIssuer }),
    extraSans: user.extraSans ?? [],
    pki: { algorithm: user.pki?.algorithm ?? 'ecdsa' },
    authentication: { jwt: user.authentication?.jwt ?? [] },
    featureGates: user.featureGates ?? {},
    ...(user.audit === undefined ? {} : { audit: user.audit }),
    ...(user.backup === undefined ? {} : { backup: resolveBackup(user.backup) }),
    ...idleOf(user),
    ...(user.renew === true ? { renew: true } : {}),
    ...driverFields(user, driver),
    etcd: { ...resolveComponent(user.etcd), ...prefixOf(user) },
    apiServer: resolveComponent(user.apiServer),
    controllerManager: resolveComponent(user.controllerManager),
    ...(hasScheduler(user) ? { scheduler: resolveComponent(user.scheduler) } : {}),
  }
}

/** A plane that is ephemeral may lose its data with its processes. */
function idleOf({ ephemeral, idle }: UserSpec): Pick<PlaneSpec, 'idle'> {
  if (idle !== undefined && ephemeral === true) {
    throw new VplaneError(
      'INVALID_SPEC',
      '"idle" is not for an ephemeral plane: pausing would cost its data',
      { hints: ['leave idle out', 'leave ephemeral out'] },
    )
  }
  return idle === undefined ? {} : { idle }
}

function driverFields(user: UserSpec, driver: DriverName): Pick<PlaneSpec, 'encryption' | 'host'> {
  if (driver === 'kubernetes') {
    return { encryption: user.encryption ?? { secrets: true }, host: resolveHostSpec(user) }
  }
  refuseHostFields(user)
  return user.encryption === undefined ? {} : { encryption: user.encryption }
}

function prefixOf({ etcd: { prefix } = {} }: UserSpec): Pick<PlaneSpec['etcd'], 'prefix'> {
  return prefix === undefined ? {} : { prefix }
}

function resolveComponent(component: UserSpec['etcd'] | UserSpec['apiServer']): ComponentSpec {
  return { extraArgs: component?.extraArgs ?? {}, goGc: component?.goGc ?? DEFAULT_GOGC }
}
