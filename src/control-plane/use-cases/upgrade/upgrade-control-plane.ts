import { messageOf } from '../../../shared/errors.ts'
import type { Driver } from '../../driver/driver.ts'
import { isOutdated, type Plane } from '../../plane/plane.ts'
import type { PlaneSpecs } from '../../spec/plane-specs.ts'
import { formatDifferences, specDifferences } from '../../changes/spec-diff.ts'
import { upgradedSpec, upgradeStages, type WantedVersions } from './upgraded-spec.ts'
import { agreeTo } from '../change/agree-to.ts'
import {
  type ChangeDependencies,
  type ChangeOptions,
  type ChangeResult,
  planLines,
} from '../change/change-control-plane.ts'
import { type SnapshotDependencies, takeSnapshot } from '../snapshot/create-snapshot.ts'
import { lostApis } from './lost-apis.ts'
import { refuseWhilePaused } from '../find/refuse-while-paused.ts'
import { resolvePlane } from '../find/resolve-plane.ts'
import { takeUpgradeStage } from './take-upgrade-stage.ts'
import { upgradeSteps } from './upgrade-steps.ts'

export type UpgradeDependencies = ChangeDependencies & SnapshotDependencies

export interface UpgradeOptions extends ChangeOptions {
  /** Go on though etcd holds objects that the new version cannot read, or that cannot be told. @default false */
  withoutStaleObjects?: boolean
}

/**
 * Brings a plane to other versions, after a snapshot, or to the templates and flags of this vplane. etcd goes first; the others behave as
 * the version before until they are ready. A stage that does not become ready is taken back where that is safe. An upgrade
 * that was cut off is gone on with by the same call.
 *
 * @throws {VplaneError} `USAGE` when objects would be lost that nobody has given up, `FAILED` when the new version does not become ready and the plane is what it was before, and as
 * `upgradedSpec` and `changeControlPlane` do.
 */
export async function upgradeControlPlane(
  deps: UpgradeDependencies,
  versions: WantedVersions,
  options: UpgradeOptions,
): Promise<ChangeResult> {
  const { isConfirmed, isDryRun, signal, timeoutMs, withoutStaleObjects = false } = options
  const { driver, plane } = await resolvePlane(deps, options)
  const to = upgradedSpec(plane, versions)
  refuseWhilePaused(plane, 'upgraded')
  const differences = formatDifferences(specDifferences(versionsOf(plane), versionsOf(to)))
  const stages = upgradeStages(plane, to)
  const { objects, steps } = await upgradeSteps({ driver, plane, stages, signal })
  if (differences.length + steps.length === 0 && !isOutdated(plane)) {
    return { plane, differences, steps, isChanged: false }
  }
  const first = differences.length === 0 ? [] : ['take a snapshot']
  const result = { plane, differences, steps: [...first, ...steps] }
  const { version } = to.spec
  const lost = await lostApis(deps, { driver, plane, version, withoutStaleObjects, signal })
  const proposal = {
    lines: [
      ...planLines(result),
      // Where a version differs, all objects do.
      ...(differences.length > 0 || objects.length === 0
        ? []
        : ['What differs:', ...objects.map((line) => `  ${line}`)]),
      ...lost,
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
  for (const change of stages) {
    current = await takeUpgradeStage(deps, { driver, plane: current, change, timeoutMs, signal })
  }
  return { ...result, plane: current, isChanged: true }
}

/** Another version may not be able to read again what this one has stored. */
async function keepData(
  deps: UpgradeDependencies,
  target: { driver: Driver; plane: Plane; signal: AbortSignal },
): Promise<void> {
  const snapshots = await deps.openSnapshots()
  try {
    const { location } = await takeSnapshot(
      { ...deps, snapshots },
      { ...target, place: snapshots.kept },
    )
    deps.ui.note(`A snapshot of "${target.plane.name}" as it was is in ${location}`)
  } catch (error) {
    // An upgrade whose etcd does not come up has to go on, or back.
    if (target.signal.aborted || !isHalfUpgraded(target.plane)) {
      throw error
    }
    deps.ui.warn(`There is only the snapshot from when the upgrade began: ${messageOf(error)}`)
  }
}

/** What it is now may not be readable; the snapshot of when the upgrade began is there then. */
function isHalfUpgraded({ spec }: Plane): boolean {
  return spec.upgradingFrom !== undefined || spec.etcdUpgradingFrom !== undefined
}

function versionsOf({ spec }: Pick<PlaneSpecs, 'spec'>): object {
  const { etcdUpgradingFrom, etcdVersion, upgradingFrom, version } = spec
  return { version, etcdVersion, upgradingFrom, etcdUpgradingFrom }
}
