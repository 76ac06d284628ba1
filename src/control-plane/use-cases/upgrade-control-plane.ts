import { VplaneError } from '../../shared/errors.ts'
import type { Driver } from '../driver.ts'
import { isOutdated, type Plane } from '../plane.ts'
import { type PlaneSpecs, specsOf } from '../plane-specs.ts'
import type { SpecChange } from '../changed-spec.ts'
import { formatDifferences, specDifferences } from '../spec-diff.ts'
import { upgradedSpec, upgradeStages, type WantedVersions } from '../upgraded-spec.ts'
import { agreeTo } from './agree-to.ts'
import {
  type AppliedChange,
  applyChange,
  type ChangeDependencies,
  type ChangeOptions,
  type ChangeResult,
  planLines,
} from './change-control-plane.ts'
import { type SnapshotDependencies, takeSnapshot } from './create-snapshot.ts'
import { lostApis } from './lost-apis.ts'
import { refuseWhileResting } from './refuse-while-resting.ts'
import { resolvePlane } from './resolve-plane.ts'

export type UpgradeDependencies = ChangeDependencies & SnapshotDependencies

/**
 * Brings a plane to other versions, after a snapshot, or to the templates and flags of this vplane. etcd goes first; the others behave as
 * the version before until they are ready, and go back to it by themselves when they do not become so. An upgrade that
 * was cut off is gone on with by the same call.
 *
 * @throws {VplaneError} `FAILED` when the new version does not become ready and the plane is what it was before, and as
 * `upgradedSpec` and `changeControlPlane` do.
 */
export async function upgradeControlPlane(
  deps: UpgradeDependencies,
  versions: WantedVersions,
  { isConfirmed, isDryRun, signal, timeoutMs, ...selector }: ChangeOptions,
): Promise<ChangeResult> {
  const { driver, plane } = await resolvePlane(deps, selector)
  const to = upgradedSpec(plane, versions)
  refuseWhileResting(plane, 'upgraded')
  const differences = formatDifferences(specDifferences(versionsOf(plane), versionsOf(to)))
  const steps = await driver.plan(plane, to, signal)
  const result = { plane, differences, steps }
  if (differences.length + steps.length === 0 && !isOutdated(plane)) {
    return { ...result, isChanged: false }
  }
  const proposal = {
    lines: [
      ...planLines(result),
      ...(await lostApis(deps, { driver, plane, version: to.spec.version, signal })),
    ],
    question: `Upgrade "${plane.name}"?`,
    refusal: `"${plane.name}" was left as it is`,
  }
  if (!(await agreeTo(deps.ui, { ...proposal, isConfirmed, isDryRun }))) {
    return { ...result, isChanged: false }
  }
  if (differences.length > 0) {
    await keepData(deps, { driver, plane, signal })
  }
  let current = plane
  for (const change of upgradeStages(plane, to)) {
    current = await takeStage(deps, { driver, plane: current, change, timeoutMs, signal })
  }
  return { ...result, plane: current, isChanged: true }
}

/** Another version may not be able to read again what this one has stored. */
async function keepData(
  deps: UpgradeDependencies,
  target: { driver: Driver; plane: Plane; signal: AbortSignal },
): Promise<void> {
  const snapshots = await deps.openSnapshots()
  const { location } = await takeSnapshot(
    { ...deps, snapshots },
    { ...target, place: snapshots.kept },
  )
  deps.ui.note(`A snapshot of "${target.plane.name}" as it was is in ${location}`)
}

/** Makes one stage, and what was before it again when that does not become ready. */
async function takeStage(deps: UpgradeDependencies, stage: AppliedChange): Promise<Plane> {
  const { change, plane } = stage
  try {
    return await applyChange(deps, stage)
  } catch (error) {
    const back = wayBack(plane, change)
    if (!isFailure(error) || back === undefined) {
      throw error
    }
    const words = wordsOf(plane)
    deps.ui.warn(`${wordsOf(change)} does not become ready: going back to ${words}`)
    await applyChange(deps, { ...stage, change: { ...back, from: specsOf(change) } })
    throw new VplaneError(
      'FAILED',
      `"${plane.name}" is ${words} again, as ${wordsOf(change)} did not become ready: ${error.message}`,
      { hints: [...error.hints], cause: error },
    )
  }
}

/**
 * The spec to go back to: what the plane was, or comes from when an earlier run was cut off. etcd stays: its data may be
 * of the new version.
 */
function wayBack({ spec, userSpec }: Plane, change: SpecChange): PlaneSpecs | undefined {
  const { etcdVersion, upgradingFrom } = change.spec
  if (spec.version !== change.spec.version || spec.upgradingFrom !== upgradingFrom) {
    return { userSpec, spec: { ...spec, etcdVersion } }
  }
  if (upgradingFrom === undefined) {
    return undefined
  }
  const { upgradingFrom: _, ...rest } = change.spec
  return {
    userSpec: { ...change.userSpec, version: upgradingFrom },
    spec: { ...rest, version: upgradingFrom },
  }
}

/** What a component does that cannot run, or does not become ready. */
function isFailure(error: unknown): error is VplaneError {
  return error instanceof VplaneError && ['COMPONENT_FAILED', 'TIMED_OUT'].includes(error.code)
}

function wordsOf({ spec }: Pick<Plane, 'spec'>): string {
  const { upgradingFrom, version } = spec
  return upgradingFrom === undefined
    ? `Kubernetes ${version}`
    : `Kubernetes ${version} as ${upgradingFrom}`
}

function versionsOf({ spec }: Pick<Plane, 'spec'>): object {
  const { etcdVersion, upgradingFrom, version } = spec
  return { version, etcdVersion, upgradingFrom }
}
