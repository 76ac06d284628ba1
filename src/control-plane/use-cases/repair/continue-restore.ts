import { VplaneError } from '../../../shared/errors.ts'
import type { Hint } from '../../../shared/hint.ts'
import type { PlanStep } from '../../../shared/plan-step.ts'
import type { PlaneFault } from '../../driver/repair.ts'
import type { StoredSnapshot } from '../../driver/snapshot.ts'
import { unfinishedError } from '../../operations/unfinished.ts'
import type { Plane } from '../../plane/plane.ts'
import { storeOf } from '../../store/store.ts'
import { agreeTo } from '../change/agree-to.ts'
import { putData } from '../restore/put-data.ts'
import type { RestoreDependencies } from '../restore/restore-control-plane.ts'
import { isSnapshotOf, restoreHints } from '../restore/restore-hints.ts'
import type { RepairResult, Run } from './repair-run.ts'
import { faultLines } from './repair-words.ts'
import { noPassphrase } from './restore-from-survivors.ts'

/**
 * Continues an interrupted restore of a plane from one of its own snapshots that this machine stores.
 *
 * @throws {VplaneError} `NEEDS_ATTENTION` for all other restores, with the command that continues it; `FAILED` when the
 * plane is being moved here.
 */
export async function continueRestore(deps: RestoreDependencies, run: Run): Promise<RepairResult> {
  const { driver, plane, signal, timeoutMs } = run
  const { name } = plane
  if (plane.movingFrom !== undefined) {
    throw unfinishedError(plane, { kind: 'arrival' })
  }
  const snapshots = await deps.openSnapshots()
  const from = plane.restoring?.from
  const stored = (await snapshots.local.list(signal)).find(({ id }) => id === from)
  if (stored === undefined || !isOwn(plane, stored)) {
    const again = { purpose: 'continue with', action: 'restore', plane, force: true, from } as const
    throw await needsRestore(deps, run, {
      message: `a restore of "${name}" was interrupted`,
      before: from === undefined ? [] : [again],
    })
  }
  const { id, revision } = stored
  const reason = `its restore from ${id} was interrupted`
  const { component } = storeOf(plane.spec)
  const faults: PlaneFault[] = [{ component, instance: component, reason, remedy: 'restore' }]
  await using source = await snapshots.open(id, { passphrase: noPassphrase, signal })
  const steps: PlanStep[] = [
    { action: 'load-data', source: source.what },
    { action: 'start-components' },
  ]
  const proposal = {
    lines: faultLines(faults),
    steps,
    question: `Continue the restore of "${name}"?`,
    refusal: `"${name}" was left unchanged`,
  }
  const result = { plane, faults, survivors: [], steps }
  if (!(await agreeTo(deps.ui, { ...proposal, ...run }))) {
    return { ...result, isRepaired: false }
  }
  const data = { source, revision, keepFormer: true }
  const restored = await putData(deps, { driver, plane, ...data, timeoutMs, signal })
  return { ...result, plane: restored, isRepaired: true }
}

/** Returns the error for a plane without data, with the commands that restore it. */
export async function needsRestore(
  deps: Pick<RestoreDependencies, 'openSnapshots' | 'now'>,
  { plane, signal }: Pick<Run, 'plane' | 'signal'>,
  {
    before = [],
    hints = [],
    message,
  }: { message: string; before?: readonly Hint[]; hints?: readonly Hint[] | undefined },
): Promise<VplaneError> {
  return new VplaneError('NEEDS_ATTENTION', message, {
    hints: [...before, ...(await restoreHints(deps, plane, signal)), ...hints],
  })
}

/** Others can write the record of a plane in a host namespace: it must not lead to the data of another plane. */
function isOwn(plane: Plane, stored: StoredSnapshot): boolean {
  return isSnapshotOf(plane, stored) && stored.planeId === plane.id
}
