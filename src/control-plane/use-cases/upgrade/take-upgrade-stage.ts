import { VplaneError } from '../../../shared/errors.ts'
import { isLater } from '../../../shared/text/version-order.ts'
import { minorOf } from '../../spec/kubernetes-version.ts'
import type { Plane } from '../../plane/plane.ts'
import { type PlaneSpecs, specsOf } from '../../spec/plane-specs.ts'
import { upgradeWords } from './upgrade-words.ts'
import {
  type AppliedChange,
  applyChange,
  type ChangeDependencies,
} from '../change/change-control-plane.ts'

/**
 * Takes a stage of an upgrade, and makes the plane what it was before when that does not become ready and it can be so
 * again.
 *
 * @throws {VplaneError} `FAILED` when the plane is what it was before; what `applyChange` throws otherwise, with what holds.
 */
export async function takeUpgradeStage(
  deps: ChangeDependencies,
  stage: AppliedChange,
): Promise<Plane> {
  const { change, driver, plane, signal } = stage
  try {
    await refuseLostReturn(stage)
    return await applyChange(deps, stage)
  } catch (error) {
    if (!isFailure(error)) {
      throw error
    }
    const back = rollbackTarget(plane, change)
    const isSafe =
      back !== undefined && (await canReturn({ driver, plane, to: back, signal }, change))
    if (!isSafe) {
      throw staying(stage, error)
    }
    const [words, failed] = [upgradeWords(back, change), upgradeWords(change, back)]
    deps.ui.warn(`${failed} does not become ready: going back to ${words}`)
    await goBack(deps, { ...stage, change: { ...back, from: specsOf(change) } }, error)
    throw new VplaneError(
      'FAILED',
      `"${plane.name}" is ${words} again, as ${failed} did not become ready: ${error.message}`,
      { hints: [...error.hints, ...hintsAfter(plane.name, back)], cause: error },
    )
  }
}

/** Refuses to bring etcd to an earlier version where that could not read its data. */
async function refuseLostReturn({ change, driver, plane, signal }: AppliedChange): Promise<void> {
  const { etcdVersion } = change.spec
  if (!(await canReturn({ driver, plane, to: change, signal }, plane))) {
    const { name, spec } = plane
    throw new VplaneError(
      'FAILED',
      `"${name}" cannot go back to etcd ${etcdVersion}: ${spec.etcdVersion} may have changed its data`,
      { hints: [{ action: 'upgrade', plane: { name }, etcdVersion: spec.etcdVersion }] },
    )
  }
}

/** Within a minor etcd goes back and forth; its data is another matter. */
async function canReturn(
  {
    driver,
    plane,
    signal,
    to,
  }: Pick<AppliedChange, 'driver' | 'plane' | 'signal'> & { to: PlaneSpecs },
  { spec }: PlaneSpecs,
): Promise<boolean> {
  const { etcdVersion } = to.spec
  return (
    !isLater(spec.etcdVersion, etcdVersion) ||
    minorOf(spec.etcdVersion) === minorOf(etcdVersion) ||
    (await driver.etcd.canReturnTo(plane, etcdVersion, signal))
  )
}

/** What a component does that cannot run, or does not become ready. */
function isFailure(error: unknown): error is VplaneError {
  return error instanceof VplaneError && ['COMPONENT_FAILED', 'TIMED_OUT'].includes(error.code)
}

/**
 * What a plane is to be again when a stage of its upgrade failed: what it was, or comes from when an earlier run was cut
 * off. Where the new version was about to run as itself, it goes on as the one before, and not back to that any more:
 * it may have stored what that cannot read. etcd stays where it is, unless it was its stage.
 *
 * @param before what the plane was at the beginning of the stage
 * @returns undefined when there is nothing to go back to.
 */
export function rollbackTarget(
  { spec, userSpec }: PlaneSpecs,
  stage: PlaneSpecs,
): PlaneSpecs | undefined {
  const { etcdUpgradingFrom, ...staged } = stage.spec
  const { etcdVersion, isPastReturn, upgradingFrom, version } = staged
  if (etcdUpgradingFrom !== undefined) {
    return { userSpec: stage.userSpec, spec: { ...staged, etcdVersion: etcdUpgradingFrom } }
  }
  if (isPastReturn === true || (spec.etcdVersion !== etcdVersion && spec.version === version)) {
    return undefined
  }
  const { etcdUpgradingFrom: _, ...former } = { ...spec, etcdVersion }
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

/** The error of a plane that cannot be what it was before. */
function staying({ change, plane: { name } }: AppliedChange, error: VplaneError): VplaneError {
  const { etcdUpgradingFrom, etcdVersion } = change.spec
  const holds =
    etcdUpgradingFrom === undefined
      ? `"${name}" stays ${upgradeWords(change)}; the same command goes on`
      : `"${name}" stays with etcd ${etcdVersion}, which may have changed its data: ${etcdUpgradingFrom} might not read it; the same command goes on`
  return new VplaneError(error.code, error.message, {
    hints: [...error.hints, holds],
    cause: error,
  })
}

/** A stage that failed before anything of it was stored has nothing to take back. */
async function goBack(
  deps: ChangeDependencies,
  back: AppliedChange,
  failure: VplaneError,
): Promise<void> {
  try {
    await applyChange(deps, back)
  } catch (error) {
    throw error instanceof VplaneError && error.code === 'CONFLICT' ? failure : error
  }
}

function hintsAfter(name: string, { spec }: PlaneSpecs): string[] {
  const { isPastReturn = false, upgradingFrom, version } = spec
  return isPastReturn
    ? [
        `${version} may have stored what ${upgradingFrom} cannot read: "${name}" goes on to it, and not back any more`,
      ]
    : []
}
