import { isDeepStrictEqual } from 'node:util'
import { VplaneError } from '../../../shared/errors.ts'
import type { Hint } from '../../../shared/hint.ts'
import { omitUndefined } from '../../../shared/omit-undefined.ts'
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
import { KINE_VERSION } from '../../store/kine-version.ts'
import type { PlaneSpec } from '../../spec/spec.ts'
import { storeOf } from '../../store/store.ts'

/** The new versions of a plane. @default the current ones */
export interface WantedVersions {
  /** `1.36` or `1.36.3` */
  version?: string | undefined
  /** `3.6.16`. @default the one for the version, unless the plane has a later one */
  etcdVersion?: string | undefined
}

const UNREADABLE = 'an earlier version may not be able to read the data of a later one'

type Upgraded = Pick<Plane, 'binDir' | 'name' | 'spec' | 'userSpec'>

/**
 * @throws {VplaneError} `USAGE` for a version that is unknown, earlier, or more than one minor later; `UNSUPPORTED` for
 * a plane with binaries of its user.
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
      hints: ['replace them, then pause and resume it'],
    })
  }
  const { etcdUpgradingFrom: _etcd, isPastReturn: _past, upgradingFrom: _from, ...rest } = spec
  const upgraded = { ...rest, ...wantedKine(plane), version, etcdVersion }
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
 * The stages of an upgrade, each of which a plane can stay at: first etcd, then the new components that emulate the
 * previous version, then the new components as they are.
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
  // An unfinished upgrade of Kubernetes stays recorded while etcd is upgraded first.
  const unfinished = omitUndefined({ upgradingFrom, isPastReturn })
  const ofEtcd = {
    ...rest,
    ...unfinished,
    etcdVersion,
    ...(etcdFrom === etcdVersion ? {} : { etcdUpgradingFrom: etcdFrom }),
  }
  const stages: PlaneSpecs[] = [
    ...(etcdFrom === etcdVersion && etcdUpgradingFrom === undefined
      ? []
      : [{ userSpec: plane.userSpec, spec: ofEtcd }]),
    ...(isOtherMinor
      ? [{ userSpec: to.userSpec, spec: { ...to.spec, ...unfinished, upgradingFrom: from } }]
      : []),
  ]
  if (!isDeepStrictEqual(stages.at(-1), specsOf(to))) {
    stages.push(specsOf(to))
  }
  return stages.map((stage, index) => ({ ...stage, from: stages[index - 1] ?? to.from }))
}

function wantedVersion({ name, spec }: Upgraded, { version }: WantedVersions): string {
  if (version === undefined) {
    return spec.upgradingFrom === undefined ? spec.version : refuseOtherUpgrade(name, spec)
  }
  const wanted = formatVersion(parseKubernetesVersion(version))
  // A plane of a minor needs no upgrade to that minor.
  if (spec.version === wanted || spec.version.startsWith(`${version}.`)) {
    return spec.version
  }
  if (spec.upgradingFrom !== undefined) {
    return wanted === spec.upgradingFrom
      ? refusePastReturn(name, spec, wanted)
      : refuseOtherUpgrade(name, spec)
  }
  if (!isLater(wanted, spec.version)) {
    const message = `"${name}" runs Kubernetes ${spec.version}, and cannot go back to ${wanted}`
    throw new VplaneError('USAGE', message, { hints: [UNREADABLE] })
  }
  if (minorOf(wanted) > minorOf(spec.version) + 1) {
    const next = knownKubernetesVersions().find((one) => minorOf(one) === minorOf(spec.version) + 1)
    const message = `"${name}" runs Kubernetes ${spec.version}: ${wanted} is more than one minor away`
    throw new VplaneError('USAGE', message, {
      hints: next === undefined ? [] : [upgradeHint(name, next)],
    })
  }
  return wanted
}

function wantedEtcd(
  { name, spec }: Upgraded,
  { etcdVersion, version: wanted }: WantedVersions,
  version: string,
): string {
  if (spec.store !== undefined) {
    return etcdVersion === undefined ? spec.etcdVersion : refuseNoEtcd(name, spec)
  }
  if (etcdVersion === undefined) {
    const known = etcdVersionOf(parseKubernetesVersion(version))
    return wanted !== undefined && isLater(known, spec.etcdVersion) ? known : spec.etcdVersion
  }
  if (!/^\d+\.\d+\.\d+$/.test(etcdVersion)) {
    throw new VplaneError('USAGE', `"${etcdVersion}" is not a version of etcd`, {
      hints: [`such as ${spec.etcdVersion}`],
    })
  }
  const from = spec.etcdUpgradingFrom ?? spec.etcdVersion
  if (isLater(from, etcdVersion)) {
    const message = `"${name}" runs etcd ${from}, and cannot go back to ${etcdVersion}`
    throw new VplaneError('USAGE', message)
  }
  const [major, minor] = [from.split('.')[0], minorOf(from)]
  if (etcdVersion.split('.')[0] !== major || minorOf(etcdVersion) > minor + 1) {
    const message = `"${name}" runs etcd ${from}: ${etcdVersion} is more than one minor away`
    throw new VplaneError('USAGE', message, {
      hints: [`etcd is upgraded by one minor at a time: the next is ${major}.${minor + 1}`],
    })
  }
  return etcdVersion
}

/** A release of vplane tests one release of kine. */
function wantedKine({ binDir, spec }: Upgraded): Pick<PlaneSpec, 'kineVersion'> {
  const { kineVersion } = spec
  const isNewer =
    binDir === undefined && kineVersion !== undefined && isLater(KINE_VERSION, kineVersion)
  return isNewer ? { kineVersion: KINE_VERSION } : {}
}

function refuseNoEtcd(name: string, spec: PlaneSpec): never {
  throw new VplaneError(
    'USAGE',
    `"${name}" has no etcd of its own: its store is ${storeOf(spec).title}`,
    {
      hints: [{ action: 'upgrade', plane: { name }, version: 'VERSION' }],
    },
  )
}

function refuseOtherUpgrade(name: string, spec: PlaneSpec): never {
  const { isPastReturn = false, upgradingFrom, version } = spec
  throw new VplaneError('USAGE', `the upgrade of "${name}" to ${version} is not finished`, {
    hints: [
      upgradeHint(name, version, 'to continue'),
      ...(isPastReturn ? [] : [upgradeHint(name, upgradingFrom, 'to go back')]),
    ],
  })
}

/** Returns the previous version, unless the new one has run as itself. */
function refusePastReturn(
  name: string,
  { isPastReturn = false, version }: PlaneSpec,
  former: string,
): string {
  if (isPastReturn) {
    const message = `"${name}" has run Kubernetes ${version} as itself, and cannot go back to ${former}`
    const hints = [UNREADABLE, upgradeHint(name, version, 'to continue')]
    throw new VplaneError('USAGE', message, { hints })
  }
  return former
}

function upgradeHint(name: string, version: string | undefined, purpose?: string): Hint {
  return { ...(purpose && { purpose }), action: 'upgrade', plane: { name }, version }
}
