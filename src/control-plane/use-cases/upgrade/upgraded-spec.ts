import { isDeepStrictEqual } from 'node:util'
import { VplaneError } from '../../../shared/errors.ts'
import type { Hint } from '../../../shared/hint.ts'
import { isLater } from '../../../shared/text/version-order.ts'
import type { SpecChange } from '../../changes/changed-spec.ts'
import { checkArguments } from '../../components/check-arguments.ts'
import {
  etcdVersionOf,
  formatVersion,
  knownKubernetesVersions,
  minorOf,
  parseKubernetesVersion,
} from '../../spec/kubernetes-version.ts'
import type { Plane } from '../../plane/plane.ts'
import { type PlaneSpecs, specsOf } from '../../spec/plane-specs.ts'
import type { PlaneSpec } from '../../spec/spec.ts'

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
  const { etcdUpgradingFrom: _etcd, isPastReturn: _past, upgradingFrom: _from, ...rest } = spec
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
  const { etcdUpgradingFrom, isPastReturn, upgradingFrom, ...rest } = spec
  const { etcdVersion } = to.spec
  const etcdFrom = etcdUpgradingFrom ?? spec.etcdVersion
  const from = upgradingFrom ?? spec.version
  const isOtherMinor = minorOf(from) < minorOf(to.spec.version)
  // What is known of a version that is on its way is kept while etcd goes first.
  const passing = {
    ...(upgradingFrom === undefined ? {} : { upgradingFrom }),
    ...(isPastReturn === undefined ? {} : { isPastReturn }),
  }
  const ofEtcd = {
    ...rest,
    ...passing,
    etcdVersion,
    ...(etcdFrom === etcdVersion ? {} : { etcdUpgradingFrom: etcdFrom }),
  }
  const stages: PlaneSpecs[] = [
    ...(etcdFrom === etcdVersion && etcdUpgradingFrom === undefined
      ? []
      : [{ userSpec: plane.userSpec, spec: ofEtcd }]),
    ...(isOtherMinor
      ? [{ userSpec: to.userSpec, spec: { ...to.spec, ...passing, upgradingFrom: from } }]
      : []),
  ]
  if (!isDeepStrictEqual(stages.at(-1), specsOf(to))) {
    stages.push(specsOf(to))
  }
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
    return wanted === spec.upgradingFrom
      ? refusePastReturn(name, spec, wanted)
      : refuseHalfUpgraded(name, spec)
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
      { hints: next === undefined ? [] : [upgradeHint(name, next)] },
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
  const from = spec.etcdUpgradingFrom ?? spec.etcdVersion
  if (isLater(from, etcdVersion)) {
    throw new VplaneError(
      'USAGE',
      `"${name}" runs etcd ${from}, and cannot go back to ${etcdVersion}`,
    )
  }
  const [major, minor] = [from.split('.')[0], minorOf(from)]
  if (etcdVersion.split('.')[0] !== major || minorOf(etcdVersion) > minor + 1) {
    throw new VplaneError(
      'USAGE',
      `"${name}" runs etcd ${from}: ${etcdVersion} is more than one minor away`,
      { hints: [`etcd goes by one minor at a time: the next is ${major}.${minor + 1}`] },
    )
  }
  return etcdVersion
}

function refuseHalfUpgraded(name: string, spec: PlaneSpec): never {
  const { isPastReturn = false, upgradingFrom, version } = spec
  throw new VplaneError('USAGE', `the upgrade of "${name}" to ${version} is not finished`, {
    hints: [
      upgradeHint(name, version, 'to continue'),
      ...(isPastReturn ? [] : [upgradeHint(name, upgradingFrom, 'to go back')]),
    ],
  })
}

/** The version before, unless the new one has run as itself. */
function refusePastReturn(
  name: string,
  { isPastReturn = false, version }: PlaneSpec,
  former: string,
): string {
  if (isPastReturn) {
    throw new VplaneError(
      'USAGE',
      `"${name}" has run Kubernetes ${version} as itself, and cannot go back to ${former}`,
      {
        hints: [
          'data that a later version has stored may not be read by an earlier one',
          upgradeHint(name, version, 'to continue'),
        ],
      },
    )
  }
  return former
}

function upgradeHint(name: string, version: string | undefined, purpose?: string): Hint {
  return { ...(purpose && { purpose }), action: 'upgrade', plane: { name }, version }
}
