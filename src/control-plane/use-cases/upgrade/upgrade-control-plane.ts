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
  planOf,
} from '../change/change-control-plane.ts'
import { changeDeclared, operatorsOf } from '../change/change-declared.ts'
import { takeSnapshot } from '../snapshot/create-snapshot.ts'
import type { RestoreDependencies } from '../restore/restore-control-plane.ts'
import { canStore, storeOf } from '../../store/store.ts'
import { lostApis } from './lost-apis.ts'
import { finishFirst } from '../find/finish-first.ts'
import { refuseWhilePaused } from '../find/refuse-while-paused.ts'
import { resolvePlane } from '../find/resolve-plane.ts'
import { takeUpgradeStage } from './take-upgrade-stage.ts'
import { upgradeSteps } from './upgrade-steps.ts'

export interface UpgradeOptions extends ChangeOptions {
  /** Continue although etcd has objects that the new version cannot read, or that cannot be checked. @default false */
  withoutStaleObjects?: boolean
}

/**
 * Upgrades a plane to other versions, after a snapshot if its store has any, or to the templates, flags and kine of this vplane. etcd is upgraded
 * first; the other components emulate the previous version until they are ready. A stage that does not become ready is
 * rolled back when that is safe. The same call continues an interrupted upgrade.
 * @throws {VplaneError} `USAGE` when objects would be lost that the user has not given up, `FAILED` after a rollback.
 */
export async function upgradeControlPlane(
  deps: RestoreDependencies & Pick<ChangeDependencies, 'openOperators'>,
  versions: WantedVersions,
  options: UpgradeOptions,
): Promise<ChangeResult> {
  const { isConfirmed, isDryRun, signal, timeoutMs, withoutStaleObjects = false } = options
  const { driver, plane } = await resolvePlane(deps, options)
  const to = upgradedSpec(plane, versions)
  refuseWhilePaused(plane, 'upgraded')
  await finishFirst('change', { driver, plane }, { ui: deps.ui, signal, timeoutMs, isDryRun })
  const differences = formatDifferences(specDifferences(versionsOf(plane), versionsOf(to)))
  const stages = upgradeStages(plane, to)
  const { objects, steps } = await upgradeSteps({ driver, plane, stages, signal })
  if (differences.length + steps.length === 0 && !isOutdated(plane)) {
    return { plane, differences, steps, isChanged: false }
  }
  const isOther = differences.length > 0
  const isSaved = isOther && canStore(plane.spec, 'snapshots')
  const first = isSaved ? [{ action: 'take-snapshot' } as const] : []
  const result = { plane, differences, steps: [...first, ...steps] }
  const { version } = to.spec
  const lost = await lostApis(deps, { driver, plane, version, withoutStaleObjects, signal })
  const proposal = {
    ...planOf(result),
    effects: [
      // With another version, all objects differ.
      ...(differences.length > 0 || objects.length === 0
        ? []
        : ['What differs:', ...objects.map((line) => `  ${line}`)]),
      ...(isOther && !isSaved
        ? [`No snapshot is taken: its store is ${storeOf(plane.spec).title}.`]
        : []),
      ...lost,
    ],
    question: `Upgrade "${plane.name}"?`,
    refusal: `"${plane.name}" was left unchanged`,
  }
  if (!(await agreeTo(deps.ui, { ...proposal, isConfirmed, isDryRun }))) {
    return { ...result, isChanged: false }
  }
  const openOperators = operatorsOf(deps, plane)
  if (openOperators !== undefined && versions.version !== undefined) {
    if (plane.spec.backup?.store === undefined) {
      // That of the operator would be in its pod.
      await saveData(deps, { driver, plane, signal })
    }
    const fields = [{ path: ['version'], value: versions.version }]
    const declared = { driver, plane, fields, timeoutMs, signal }
    const changed = await changeDeclared({ ui: deps.ui, openOperators }, declared)
    return { ...result, plane: changed, isChanged: true }
  }
  for (const { spec } of stages) {
    await driver.tools?.ensure({ ...plane, spec }, { ui: deps.ui, signal, timeoutMs })
  }
  if (isSaved) {
    await saveData(deps, { driver, plane, signal })
  }
  let current = plane
  for (const change of stages) {
    current = await takeUpgradeStage(deps, { driver, plane: current, change, timeoutMs, signal })
  }
  return { ...result, plane: current, isChanged: true }
}

/** The current version may not be able to read what a later one has stored. */
async function saveData(
  deps: RestoreDependencies,
  target: { driver: Driver; plane: Plane; signal: AbortSignal },
): Promise<void> {
  const snapshots = await deps.openSnapshots()
  try {
    const { location } = await takeSnapshot(
      { ...deps, snapshots },
      { ...target, place: snapshots.local },
    )
    deps.ui.note(`A snapshot of "${target.plane.name}" from before the upgrade is in ${location}`)
  } catch (error) {
    // An upgrade whose etcd does not start must be continued or rolled back.
    if (target.signal.aborted || !isHalfUpgraded(target.plane)) {
      throw error
    }
    deps.ui.warn(`There is only the snapshot from when the upgrade began: ${messageOf(error)}`)
  }
}

/** Its current data may not be readable; the snapshot from when the upgrade began exists then. */
function isHalfUpgraded({ spec }: Plane): boolean {
  return spec.upgradingFrom !== undefined || spec.etcdUpgradingFrom !== undefined
}

function versionsOf({ spec }: Pick<PlaneSpecs, 'spec'>): object {
  const { etcdUpgradingFrom, etcdVersion, kineVersion, upgradingFrom, version } = spec
  return { version, etcdVersion, kineVersion, upgradingFrom, etcdUpgradingFrom }
}
