import type { Operators } from '../../declared/operators.ts'
import type { Ui } from '../../../shared/ui.ts'
import { changedFields, changeDeclared, operatorsOf } from './change-declared.ts'
import { deleteFormerBindings } from '../../api/credential-bindings.ts'
import type { PlanStep } from '../../../shared/plan-step.ts'
import { changedSpec, type SpecChange } from '../../changes/changed-spec.ts'
import type { Plane } from '../../plane/plane.ts'
import { formatDifferences, specDifferences } from '../../changes/spec-diff.ts'
import type { UserSpec } from '../../spec/spec.ts'
import { type AccessDependencies, waitForAccess } from '../access/access.ts'
import { agreeTo, type Consent, type Proposal } from './agree-to.ts'
import type { FindDependencies, PlaneSelector } from '../find/find-planes.ts'
import { finishFirst } from '../find/finish-first.ts'
import { previewSwitch } from './preview-switch.ts'
import { syncSteps } from './sync-steps.ts'
import { type ResolvedPlane, resolvePlane } from '../find/resolve-plane.ts'

export interface ChangeDependencies extends AccessDependencies, FindDependencies {
  ui: Ui
  /** A declared plane is changed by its ControlPlane. @default this is the operator, which changes planes directly */
  openOperators?: () => Promise<Operators>
}

/** What all commands that change a plane share. */
export interface ChangeOptions extends PlaneSelector, Consent {
  /** Let it run pods beside other workloads, whose Secrets its syncer can read. @default false */
  shareNamespace?: boolean
  /** How long each part may take, in milliseconds. */
  timeoutMs: number
  signal: AbortSignal
}

export interface ChangeResult {
  plane: Plane
  /** Differences of the spec: `+ apiServer.extraArgs.v: "4"`. */
  differences: string[]
  /** What is done, in order. */
  steps: PlanStep[]
  /** False when there was nothing to do, and in a dry run. */
  isChanged: boolean
}

/**
 * Changes the spec of a plane to what `edit` returns: shows the differences and steps, asks, applies them, and waits
 * until the plane can be used again. The same call continues an interrupted change.
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, `INVALID_SPEC` when a field cannot change, and what
 * `previewSwitch` throws.
 */
export async function changeControlPlane(
  deps: ChangeDependencies,
  edit: (plane: Plane) => UserSpec | Promise<UserSpec>,
  { isConfirmed, isDryRun, shareNamespace = false, signal, timeoutMs, ...selector }: ChangeOptions,
): Promise<ChangeResult> {
  const { ui } = deps
  const { driver, plane } = await resolvePlane(deps, selector)
  await finishFirst('change', { driver, plane }, { ui, signal, timeoutMs, isDryRun })
  const change = { ...changedSpec(plane, await edit(plane)), shareNamespace }
  const differences = formatDifferences(specDifferences(plane.userSpec, change.userSpec))
  const plan = await driver.plan(plane, change, signal)
  const { effects, steps } = await previewSwitch(deps, { driver, plane }, { change, plan, signal })
  const result = { plane, differences, steps }
  if (differences.length + steps.length === 0) {
    return { ...result, isChanged: false }
  }
  plan.warnings?.forEach((warning) => ui.warn(warning))
  const proposal = {
    ...planOf({ differences, steps }),
    effects,
    question: `Change "${plane.name}"?`,
    refusal: `"${plane.name}" was left unchanged`,
  }
  if (!(await agreeTo(ui, { ...proposal, isConfirmed, isDryRun }))) {
    return { ...result, isChanged: false }
  }
  const applied = { driver, plane, change, timeoutMs, signal }
  const openOperators = operatorsOf(deps, plane)
  const changed = await (openOperators === undefined
    ? applyChange(deps, applied)
    : declareChange(deps, applied, openOperators))
  return { ...result, plane: changed, isChanged: true }
}

export interface AppliedChange extends ResolvedPlane {
  change: SpecChange
  timeoutMs: number
  signal: AbortSignal
}

/** Applies a change to a plane, and waits until the plane can be used. */
export async function applyChange(
  deps: ChangeDependencies,
  { change, driver, plane, signal, timeoutMs }: AppliedChange,
): Promise<Plane> {
  const { ui } = deps
  const steps = syncSteps(deps, { driver, signal, timeoutMs })
  const changed = await driver.change(plane, change, { ui, signal, timeoutMs, steps })
  if (changed.desired === 'running') {
    ui.step('Waiting for the API')
    const access = await waitForAccess(deps, { driver, plane: changed, timeoutMs, signal })
    const [former, wanted] = [plane.spec.credentials, changed.spec.credentials]
    if (former !== undefined) {
      await using api = deps.openApi(access)
      await deleteFormerBindings(api, { former, wanted }, signal)
    }
  }
  return changed
}

/** Changes a declared plane by its ControlPlane, and waits until the plane can be used. */
async function declareChange(
  deps: ChangeDependencies,
  { change, ...applied }: AppliedChange,
  openOperators: () => Promise<Operators>,
): Promise<Plane> {
  const fields = changedFields(applied.plane.userSpec, change.userSpec)
  const changed = await changeDeclared({ ui: deps.ui, openOperators }, { ...applied, fields })
  if (changed.desired === 'running') {
    await waitForAccess(deps, { ...applied, plane: changed })
  }
  return changed
}

/** The part of a proposal that differences and steps are. */
export function planOf({
  differences,
  steps,
}: Pick<ChangeResult, 'differences' | 'steps'>): Pick<Proposal, 'lines' | 'steps'> {
  const spec = ['The spec:', ...differences.map((line) => `  ${line}`)]
  const lines = differences.length === 0 ? [] : spec
  return steps.length === 0
    ? { lines: [...lines, 'Nothing has to be restarted.'] }
    : { lines, steps }
}
