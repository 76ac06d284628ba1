import {
  etcdVersionOf,
  formatVersion,
  parseKubernetesVersion,
  DEFAULT_KUBERNETES_VERSION,
} from './kubernetes-version.ts'
import type { ComponentSpec, PlaneSpec, UserSpec } from './spec.ts'

/** Garbage collection target of Go's runtime: the figures behind 50 are in the README's chapter on memory. */
const DEFAULT_GOGC = 50

/**
 * A user's spec with every default of this vplane filled in.
 *
 * @throws {VplaneError} `USAGE` when the version is unknown.
 */
export function resolveSpec(user: UserSpec): PlaneSpec {
  const version = parseKubernetesVersion(user.version ?? DEFAULT_KUBERNETES_VERSION)
  return {
    version: formatVersion(version),
    etcdVersion: etcdVersionOf(version),
    ephemeral: user.ephemeral ?? false,
    apiGroups: user.apiGroups ?? 'all',
    serviceRange: user.serviceRange ?? '10.96.0.0/16',
    clusterDomain: user.clusterDomain ?? 'cluster.local',
    extraSans: user.extraSans ?? [],
    pki: { algorithm: user.pki?.algorithm ?? 'ecdsa' },
    authentication: { jwt: user.authentication?.jwt ?? [] },
    featureGates: user.featureGates ?? {},
    etcd: resolveComponent(user.etcd),
    apiServer: resolveComponent(user.apiServer),
    controllerManager: resolveComponent(user.controllerManager),
  }
}

function resolveComponent(component: UserSpec['etcd']): ComponentSpec {
  return { extraArgs: component?.extraArgs ?? {}, goGc: component?.goGc ?? DEFAULT_GOGC }
}
