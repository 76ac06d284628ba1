import { VplaneError } from '../shared/errors.ts'
import { isLater } from '../shared/version-order.ts'
import type { SpecChange } from './changed-spec.ts'
import { checkArguments } from './components/check-arguments.ts'
import {
  etcdVersionOf,
  formatVersion,
  knownKubernetesVersions,
  minorOf,
  parseKubernetesVersion,
} from './kubernetes-version.ts'
import type { Plane } from './plane.ts'
import { type PlaneSpecs, specsOf } from './plane-specs.ts'
import type { PlaneSpec } from './spec.ts'

/** Which versions a plane is to have. @default those that it has */
export interface WantedVersions {
  /** `1.36` or `1.36.3` */
  version?: string | undefined
  /** `3.6.16`. @default the one that goes with the version, unless the plane has a later one */
  etcdVersion?: string | undefined
}

type Upgraded = Pick<Plane, 'binDir' | 'name' | 'spec' | 'userSpec'>

/**
 * What a plane becomes by an upgrade.
 *
 * @throws {VplaneError} `USAGE` for a version that is unknown, earlier, or more than one minor later; `UNSUPPORTED` for a
 * plane with binaries of its user.
 */
export function upgradedSpec(plane: Upgraded, wanted: WantedVersions): SpecChange {
  const { spec, userSpec } = plane
  const version = wantedVersion(plane, wanted)
  const etcdVersion = wantedEtcd(plane, wanted, version)
  if (
    plane.binDir !== undefined &&
    (version !== spec.version || etcdVersion !== spec.etcdVersion)
  ) {
    throw new VplaneError('UNSUPPORTED', `"${plane.name}" runs the binaries in ${plane.binDir}`, {
      hints: ['put other ones there, and pause and resume it'],
    })
  }
  const { upgradingFrom: _, ...rest } = spec
  const upgraded = { ...rest, version, etcdVersion }
  checkArguments(upgraded)
  return {
    userSpec:
      wanted.version === undefined || version === spec.version
        ? userSpec
        : { ...userSpec, version: wanted.version },
    spec: upgraded,
    from: specsOf(plane),
  }
}

/**
 * The specs that lead from one to another, each of which a plane can stay with: etcd first, then the new components that
 * behave as the old ones, then as they are.
 */
export function upgradeStages(
  plane: Pick<Plane, 'spec' | 'userSpec'>,
  to: SpecChange,
): SpecChange[] {
  const { spec } = plane
  const isOtherEtcd = spec.etcdVersion !== to.spec.etcdVersion
  const from = spec.upgradingFrom ?? spec.version
  const isOtherMinor = minorOf(from) < minorOf(to.spec.version)
  const stages: PlaneSpecs[] = [
    ...(isOtherEtcd
      ? [{ userSpec: plane.userSpec, spec: { ...spec, etcdVersion: to.spec.etcdVersion } }]
      : []),
    ...(isOtherMinor ? [{ userSpec: to.userSpec, spec: { ...to.spec, upgradingFrom: from } }] : []),
    specsOf(to),
  ]
  return stages.map((stage, index) => ({ ...stage, from: stages[index - 1] ?? to.from }))
}

function wantedVersion({ name, spec }: Upgraded, { version }: WantedVersions): string {
  if (version === undefined) {
    return spec.upgradingFrom === undefined ? spec.version : refuseHalfUpgraded(name, spec)
  }
  const wanted = formatVersion(parseKubernetesVersion(version))
  // A minor alone is what a plane of that minor is already.
  if (spec.version === wanted || spec.version.startsWith(`${version}.`)) {
    return spec.version
  }
  if (spec.upgradingFrom !== undefined) {
    return wanted === spec.upgradingFrom ? wanted : refuseHalfUpgraded(name, spec)
  }
  if (!isLater(wanted, spec.version)) {
    throw new VplaneError(
      'USAGE',
      `"${name}" runs Kubernetes ${spec.version}, and cannot go back to ${wanted}`,
      { hints: ['data that a later version has stored may not be read by an earlier one'] },
    )
  }
  if (minorOf(wanted) > minorOf(spec.version) + 1) {
    const next = knownKubernetesVersions().find((one) => minorOf(one) === minorOf(spec.version) + 1)
    throw new VplaneError(
      'USAGE',
      `"${name}" runs Kubernetes ${spec.version}: ${wanted} is more than one minor away`,
      { hints: next === undefined ? [] : [`vplane upgrade ${name} --version ${next}`] },
    )
  }
  return wanted
}

function wantedEtcd(
  { name, spec }: Upgraded,
  { etcdVersion, version: said }: WantedVersions,
  version: string,
): string {
  if (etcdVersion === undefined) {
    const known = etcdVersionOf(parseKubernetesVersion(version))
    return said !== undefined && isLater(known, spec.etcdVersion) ? known : spec.etcdVersion
  }
  if (!/^\d+\.\d+\.\d+$/.test(etcdVersion)) {
    throw new VplaneError('USAGE', `"${etcdVersion}" is not a version of etcd`, {
      hints: [`such as ${spec.etcdVersion}`],
    })
  }
  if (isLater(spec.etcdVersion, etcdVersion)) {
    throw new VplaneError(
      'USAGE',
      `"${name}" runs etcd ${spec.etcdVersion}, and cannot go back to ${etcdVersion}`,
    )
  }
  return etcdVersion
}

function refuseHalfUpgraded(name: string, { upgradingFrom, version }: PlaneSpec): never {
  throw new VplaneError('USAGE', `the upgrade of "${name}" to ${version} is not finished`, {
    hints: [
      `vplane upgrade ${name} --version ${version} goes on with it`,
      `vplane upgrade ${name} --version ${upgradingFrom} goes back`,
    ],
  })
}
