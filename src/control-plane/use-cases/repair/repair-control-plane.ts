import { isVplaneError, VplaneError } from '../../../shared/errors.ts'
import type { PlanStep } from '../../../shared/plan-step.ts'
import { waitFor } from '../../../shared/wait.ts'
import { componentsOf, type Plane } from '../../plane/plane.ts'
import type { Diagnosis, PlaneFault, Survivor } from '../../driver/repair.ts'
import { waitForAccess } from '../access/access.ts'
import { agreeTo } from '../change/agree-to.ts'
import type { ChangeOptions } from '../change/change-control-plane.ts'
import { extentOf, newClusterSteps, restoreFromSurvivors } from './restore-from-survivors.ts'
import { continueRestore, needsRestore } from './continue-restore.ts'
import type { RepairResult, Run } from './repair-run.ts'
import { faultLines, repairSteps } from './repair-words.ts'
import { resolvePlane } from '../find/resolve-plane.ts'
import type { RestoreDependencies } from '../restore/restore-control-plane.ts'
import { restoreHints } from '../restore/restore-hints.ts'

/** How to repair a plane whose etcd has lost its majority. */
export type QuorumLossStrategy = 'wait' | 'from-survivor'

export interface RepairOptions extends ChangeOptions {
  /** @default vplane prompts for it */
  strategy?: QuorumLossStrategy | undefined
}

/** How often vplane checks whether etcd has its majority again, in milliseconds. */
const CHECK_MS = 1000

/**
 * Reports the faults of a plane, proposes a repair, asks, repairs, and waits until the plane can be used again. It
 * deletes data only if the user chooses that: without a majority of etcd it waits, or continues with the data of one
 * member.
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, `USAGE` for a strategy where there is nothing to choose,
 * `NEEDS_ATTENTION` for faults that vplane cannot repair and for a choice that was not made.
 */
export async function repairControlPlane(
  deps: RestoreDependencies,
  { isConfirmed, isDryRun, signal, timeoutMs, strategy, ...selector }: RepairOptions,
): Promise<RepairResult> {
  const { ui } = deps
  const { driver, plane } = await resolvePlane(deps, selector)
  if (strategy !== undefined && plane.driver === 'local') {
    const message = `etcd of "${plane.name}" has one member: there is nothing to choose`
    throw new VplaneError('USAGE', message, { hints: [{ action: 'repair', plane }] })
  }
  const run = { driver, plane, isConfirmed, isDryRun, signal, timeoutMs }
  if (plane.restoring !== undefined) {
    return continueRestore(deps, run)
  }
  if (plane.desired === 'paused') {
    return { plane, faults: [], survivors: [], steps: [], isRepaired: false }
  }
  ui.step(`Diagnosing "${plane.name}"`)
  const diagnosis = await driver.diagnose(plane, signal)
  if (strategy !== undefined && diagnosis.survivors === undefined) {
    ui.note('There was nothing to choose: etcd has not lost its majority.')
  }
  return repairFound(deps, run, { ...diagnosis, strategy })
}

function repairFound(
  deps: RestoreDependencies,
  run: Run,
  { survivors, ...found }: Diagnosis & Pick<RepairOptions, 'strategy'>,
): Promise<RepairResult> {
  return survivors === undefined
    ? repairAll(deps, run, found)
    : repairMajority(deps, run, { ...found, survivors })
}

async function repairAll(
  deps: RestoreDependencies,
  run: Run,
  { faults }: Diagnosis,
): Promise<RepairResult> {
  const { driver, plane, signal, timeoutMs } = run
  const steps = repairSteps(faults)
  const result = { plane, faults, survivors: [], steps }
  const lost = faults.find(({ remedy }) => remedy === 'restore')
  if (lost !== undefined) {
    faultLines(faults).forEach((line) => deps.ui.note(line))
    const message = `${lost.instance} of "${plane.name}": ${lost.reason}, and there is no other copy`
    throw await needsRestore(deps, run, { message, hints: lost.hints })
  }
  if (faults.length === 0) {
    if (!run.isDryRun) {
      // Components that have just been started are no fault, but must become ready.
      await waitForAccess(deps, { driver, plane, timeoutMs, signal })
    }
    return { ...result, isRepaired: false }
  }
  if (steps.length > 0) {
    if (!(await agreeTo(deps.ui, proposalOf(run, faults, steps)))) {
      return { ...result, isRepaired: false }
    }
    const unshown = await driver.repair(plane, { ui: deps.ui, signal, timeoutMs }, faults)
    if (unshown !== undefined) {
      deps.ui.note('More is broken than was shown, so nothing was changed.')
      return repairFound(deps, run, unshown)
    }
  }
  refuseUnrepaired(plane, faults)
  deps.ui.step('Waiting for the API')
  await waitForAccess(deps, { driver, plane, timeoutMs, signal })
  await waitForComponents(run)
  return { ...result, isRepaired: true }
}

/** The API may be ready before components that were restarted are. */
async function waitForComponents({ driver, plane, signal, timeoutMs }: Run): Promise<void> {
  await waitFor(() => driver.isRunning(plane, componentsOf(plane.spec)), {
    what: `all components of "${plane.name}"`,
    timeoutMs,
    signal,
  })
}

async function repairMajority(
  deps: RestoreDependencies,
  run: Run,
  lost: Diagnosis & Required<Pick<Diagnosis, 'survivors'>> & Pick<RepairOptions, 'strategy'>,
): Promise<RepairResult> {
  const { plane } = run
  const { faults, isUnfinished, survivors } = lost
  const [survivor] = survivors
  const strategy = isUnfinished === true ? 'from-survivor' : lost.strategy
  const chosen = strategy ?? (await askForStrategy(deps, run, { faults, survivor }))
  if (chosen === 'wait') {
    if (run.isDryRun) {
      return {
        plane,
        faults,
        survivors,
        steps: [{ action: 'wait-for-majority' }],
        isRepaired: false,
      }
    }
    return repairAll(deps, run, await waitForMajority(deps, run))
  }
  if (survivor === undefined) {
    const message = `no etcd member of "${plane.name}" that has data answers`
    throw await needsRestore(deps, run, { message })
  }
  const steps = newClusterSteps({ survivors, isUnfinished })
  const result = { plane, faults, survivors, steps }
  const isConfirmed = run.isConfirmed || strategy === undefined
  if (!(await agreeTo(deps.ui, { ...proposalOf(run, faults, steps), isConfirmed }))) {
    return { ...result, isRepaired: false }
  }
  const restored = await restoreFromSurvivors(deps, { ...run, survivors, isUnfinished })
  return { ...result, plane: restored, isRepaired: true }
}

/** Offers one strategy after the other, the one that loses least first. */
async function askForStrategy(
  deps: RestoreDependencies,
  run: Run,
  { faults, survivor }: { faults: readonly PlaneFault[]; survivor: Survivor | undefined },
): Promise<QuorumLossStrategy> {
  const { isConfirmed, isDryRun, plane } = run
  const { ui } = deps
  faultLines(faults).forEach((line) => ui.note(line))
  const message = `etcd of "${plane.name}" has lost its majority, and nothing was chosen`
  const continuing = survivor && {
    purpose: `continue with the data of ${survivor.instance}, ${extentOf(survivor)}`,
    fromSurvivor: true,
  }
  const undecided = async (cause?: unknown) =>
    new VplaneError('NEEDS_ATTENTION', message, {
      hints: [
        { purpose: 'wait for members to come back with their data', wait: true },
        ...(continuing === undefined ? [] : [continuing]),
        ...(await restoreHints(deps, plane, run.signal)),
      ],
      cause,
    })
  if (isConfirmed || isDryRun) {
    throw await undecided()
  }
  try {
    if (await ui.confirm('Wait for members to come back with their data?', { option: 'wait' })) {
      return 'wait'
    }
    const question = `Continue with the data of ${survivor?.instance}, and lose the rest?`
    if (survivor !== undefined && (await ui.confirm(question, { option: 'fromSurvivor' }))) {
      return 'from-survivor'
    }
  } catch (error) {
    if (!isVplaneError(error, 'USAGE')) {
      throw error
    }
    // vplane cannot prompt.
    throw await undecided(error)
  }
  throw await undecided()
}

async function waitForMajority({ ui }: RestoreDependencies, run: Run): Promise<Diagnosis> {
  const { driver, plane, signal, timeoutMs } = run
  ui.step('Waiting for a majority of etcd')
  return waitFor(
    async (deadline) => {
      const diagnosis = await driver.diagnose(plane, deadline)
      return diagnosis.survivors === undefined && diagnosis
    },
    { what: `a majority of etcd of "${plane.name}"`, timeoutMs, intervalMs: CHECK_MS, signal },
  )
}

function proposalOf(
  { isConfirmed, isDryRun, plane }: Run,
  faults: readonly PlaneFault[],
  steps: readonly PlanStep[],
) {
  return {
    lines: faultLines(faults),
    steps,
    question: `Repair "${plane.name}"?`,
    refusal: `"${plane.name}" was left unchanged`,
    isConfirmed,
    isDryRun,
  }
}

function refuseUnrepaired({ name }: Plane, faults: readonly PlaneFault[]): void {
  const left = faults.filter(({ remedy }) => remedy === 'none')
  if (left.length > 0) {
    const reasons = left.map(({ instance, reason }) => `${instance}: ${reason}`)
    throw new VplaneError('NEEDS_ATTENTION', `"${name}" needs attention: ${reasons.join('; ')}`, {
      hints: left.flatMap(({ hints = [] }) => hints),
    })
  }
}
