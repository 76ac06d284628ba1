import { isVplaneError, VplaneError } from '../../../shared/errors.ts'
import { omitUndefined } from '../../../shared/omit-undefined.ts'
import { isLater } from '../../../shared/text/version-order.ts'
import { minorOf } from '../../spec/kubernetes-version.ts'
import type { Plane } from '../../plane/plane.ts'
import { type PlaneSpecs, specsOf } from '../../spec/plane-specs.ts'
import { upgradeWords } from './upgrade-steps.ts'
import {
  type AppliedChange,
  applyChange,
  type ChangeDependencies,
} from '../change/change-control-plane.ts'

/**
 * Takes a stage of an upgrade, and rolls it back when it does not become ready and a rollback is safe.
 * @throws {VplaneError} `FAILED` after a rollback; other errors report the current state of the plane.
 */
export async function takeUpgradeStage(
  deps: ChangeDependencies,
  stage: AppliedChange,
): Promise<Plane> {
  const { change, plane } = stage
  try {
    await refuseLostReturn(stage)
    return await applyChange(deps, stage)
  } catch (error) {
    if (!isFailure(error)) {
      throw error
    }
    const back = rollbackTarget(plane, change)
    const isSafe = back !== undefined && (await canReturn(stage, change, back))
    if (!isSafe) {
      throw staying(stage, error)
    }
    const [words, failed] = [upgradeWords(back, change), upgradeWords(change, back)]
    deps.ui.warn(`${failed} does not become ready: going back to ${words}`)
    await goBack(deps, { ...stage, change: { ...back, from: specsOf(change) } }, error)
    const message = `"${plane.name}" is ${words} again, as ${failed} did not become ready: ${error.message}`
    const hints = [...error.hints, ...hintsAfter(plane.name, back)]
    throw new VplaneError('FAILED', message, { hints, cause: error })
  }
}

/** Refuses an earlier version of etcd that could not read its data. */
async function refuseLostReturn(stage: AppliedChange): Promise<void> {
  const { change, plane } = stage
  const { etcdVersion } = change.spec
  if (!(await canReturn(stage, plane, change))) {
    const { name, spec } = plane
    const message = `"${name}" cannot go back to etcd ${etcdVersion}: ${spec.etcdVersion} may have changed its data`
    throw new VplaneError('FAILED', message, {
      hints: [{ action: 'upgrade', plane: { name }, etcdVersion: spec.etcdVersion }],
    })
  }
}

/** Within a minor, any patch of etcd can read the data of another; across minors it depends on the data. */
async function canReturn(
  { driver, plane, signal }: AppliedChange,
  { spec }: PlaneSpecs,
  { spec: { etcdVersion } }: PlaneSpecs,
): Promise<boolean> {
  return (
    !isLater(spec.etcdVersion, etcdVersion) ||
    minorOf(spec.etcdVersion) === minorOf(etcdVersion) ||
    (await driver.etcd.canReturnTo(plane, etcdVersion, signal))
  )
}

function isFailure(error: unknown): error is VplaneError {
  return isVplaneError(error, 'COMPONENT_FAILED', 'TIMED_OUT')
}

/**
 * Returns the specs that a plane goes back to when a stage of its upgrade failed, if there are any: those before the
 * stage, or before the upgrade when an earlier run was interrupted. When the new version was about to run as itself, it
 * runs as the previous one again, and a return to that is not possible any more: the new version may have stored what
 * the previous one cannot read. etcd keeps its version, unless this was its stage. kine keeps its version always: an earlier one may not be
 * able to read the data (.github/decisions/0031).
 */
export function rollbackTarget(
  { spec, userSpec }: PlaneSpecs,
  stage: PlaneSpecs,
): PlaneSpecs | undefined {
  const { etcdUpgradingFrom, ...staged } = stage.spec
  const { etcdVersion, isPastReturn, kineVersion, upgradingFrom, version } = staged
  if (etcdUpgradingFrom !== undefined) {
    return { userSpec: stage.userSpec, spec: { ...staged, etcdVersion: etcdUpgradingFrom } }
  }
  if (isPastReturn === true || (spec.etcdVersion !== etcdVersion && spec.version === version)) {
    return undefined
  }
  const { etcdUpgradingFrom: _, ...former } = {
    ...spec,
    etcdVersion,
    ...omitUndefined({ kineVersion }),
  }
  if (spec.version !== version) {
    return { userSpec, spec: former }
  }
  if (spec.upgradingFrom !== upgradingFrom) {
    return { userSpec, spec: { ...former, isPastReturn: true } }
  }
  if (upgradingFrom === undefined) {
    return undefined
  }
  const { upgradingFrom: _from, ...rest } = staged
  return {
    userSpec: { ...stage.userSpec, version: upgradingFrom },
    spec: { ...rest, version: upgradingFrom },
  }
}

function staying({ change, plane: { name } }: AppliedChange, error: VplaneError): VplaneError {
  const { etcdUpgradingFrom, etcdVersion } = change.spec
  const state =
    etcdUpgradingFrom === undefined
      ? `"${name}" stays ${upgradeWords(change)}`
      : `"${name}" stays with etcd ${etcdVersion}, which may have changed its data: ${etcdUpgradingFrom} might not read it`
  const hints = [...error.hints, `${state}; the same command continues`]
  return new VplaneError(error.code, error.message, { hints, cause: error })
}

/** A stage that failed before it was stored needs no rollback. */
async function goBack(
  deps: ChangeDependencies,
  back: AppliedChange,
  failure: VplaneError,
): Promise<void> {
  try {
    await applyChange(deps, back)
  } catch (error) {
    throw isVplaneError(error, 'CONFLICT') ? failure : error
  }
}

function hintsAfter(name: string, { spec }: PlaneSpecs): string[] {
  const { isPastReturn = false, upgradingFrom, version } = spec
  return isPastReturn
    ? [
        `${version} may have stored what ${upgradingFrom} cannot read: "${name}" can be upgraded to it, but cannot go back`,
      ]
    : []
}
