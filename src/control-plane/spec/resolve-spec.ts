import {
  etcdVersionOf,
  formatVersion,
  parseKubernetesVersion,
  DEFAULT_KUBERNETES_VERSION,
} from './kubernetes-version.ts'
import { VplaneError } from '../../shared/errors.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { resolveBackup } from './fields/backup-spec.ts'
import { resolveCredentials } from './credentials/credentials-spec.ts'
import type { DriverName } from './driver-name.ts'
import { hasScheduler, refuseHostFields, resolveHostSpec } from './resolve-host-spec.ts'
import { resolveStore } from './resolve-store.ts'
import type { ComponentSpec, PlaneSpec, UserSpec } from './spec.ts'

/** Garbage collection target of Go's runtime; bench/README.md has the measurements. */
const DEFAULT_GOGC = 50

/**
 * A user's spec with every default of this vplane for the driver that will run the plane, by default `local`. A plane that
 * a ControlPlane declares has no keeper: its operator does the duties.
 * @throws {VplaneError} `USAGE` when the version is unknown, `INVALID_SPEC` when the driver or the store does not support
 * a field, or an ephemeral plane is to pause itself.
 */
export function resolveSpec(
  user: UserSpec,
  driver: DriverName = 'local',
  { isDeclared = false }: { isDeclared?: boolean } = {},
): PlaneSpec {
  const version = parseKubernetesVersion(user.version ?? DEFAULT_KUBERNETES_VERSION)
  refuseIdleEphemeral(user)
  return omitUndefined({
    version: formatVersion(version),
    etcdVersion: etcdVersionOf(version),
    ephemeral: user.ephemeral ?? false,
    ...resolveStore(user, { driver, isDeclared }),
    apiGroups: user.apiGroups ?? 'all',
    serviceRange: user.serviceRange ?? '10.96.0.0/16',
    clusterDomain: user.clusterDomain ?? 'cluster.local',
    serviceAccountIssuer: user.serviceAccountIssuer,
    extraSans: user.extraSans ?? [],
    pki: { algorithm: user.pki?.algorithm ?? 'ecdsa' },
    authentication: { jwt: user.authentication?.jwt ?? [] },
    featureGates: user.featureGates ?? {},
    audit: user.audit,
    backup: user.backup && resolveBackup(user.backup),
    idle: user.idle,
    wake: resolveWake(user, driver),
    renew: user.renew === true ? true : undefined,
    ...driverFields(user, { driver, isDeclared }),
    etcd: omitUndefined({ ...resolveComponent(user.etcd), prefix: user.etcd?.prefix }),
    apiServer: resolveComponent(user.apiServer),
    controllerManager: resolveComponent(user.controllerManager),
    scheduler: hasScheduler(user) ? resolveComponent(user.scheduler) : undefined,
  })
}

function refuseIdleEphemeral({ ephemeral, idle }: UserSpec): void {
  if (idle !== undefined && ephemeral === true) {
    const message = '"idle" is not possible for an ephemeral plane: a pause would delete its data'
    throw new VplaneError('INVALID_SPEC', message, {
      hints: ['leave idle out', 'leave ephemeral out'],
    })
  }
}

function resolveWake({ idle, wake }: UserSpec, driver: DriverName): PlaneSpec['wake'] {
  const by = wake?.by ?? (driver === 'local' ? 'any' : 'plugin')
  if (wake?.from !== undefined && (driver === 'local' || by === 'plugin')) {
    const message = '"wake.from" needs the kubernetes driver and "wake.by: any"'
    throw new VplaneError('INVALID_SPEC', message, { hints: ['leave wake.from out'] })
  }
  return idle !== undefined && by === 'any' ? omitUndefined({ by, from: wake?.from }) : undefined
}

function driverFields(
  user: UserSpec,
  { driver, isDeclared }: { driver: DriverName; isDeclared: boolean },
) {
  if (driver === 'kubernetes') {
    const { keeper, ...host } = resolveHostSpec(user)
    return {
      encryption: user.encryption ?? { secrets: true },
      credentials: resolveCredentials(user.credentials),
      host: keeper === undefined || isDeclared ? host : { ...host, keeper },
    }
  }
  refuseHostFields(user)
  return { encryption: user.encryption, credentials: undefined, host: undefined }
}

function resolveComponent(component: UserSpec['etcd'] | UserSpec['apiServer']): ComponentSpec {
  return { extraArgs: component?.extraArgs ?? {}, goGc: component?.goGc ?? DEFAULT_GOGC }
}
