import { VplaneError } from '../../../shared/errors.ts'
import type { PlanStep } from '../../../shared/plan-step.ts'
import { isOutdated, ownComponentsOf, type Plane } from '../../plane/plane.ts'
import {
  type RotatedKeys,
  ROTATION_STAGES,
  type RotationStage,
  type RotationStep,
  stagesAhead,
} from '../../rotation/rotation.ts'
import { unfinishedError } from '../../operations/unfinished.ts'
import { ROTATION_WORDS } from '../../rotation/rotation-words.ts'
import { waitForAccess } from '../access/access.ts'
import { agreeTo } from '../change/agree-to.ts'
import type { ChangeDependencies, ChangeOptions } from '../change/change-control-plane.ts'
import type { Contexts } from '../access/contexts.ts'
import { finishFirst } from '../find/finish-first.ts'
import { refuseWhilePaused } from '../find/refuse-while-paused.ts'
import { type ResolvedPlane, resolvePlane } from '../find/resolve-plane.ts'
import { credentialsRenewed } from './credentials-renewed.ts'
import { rewriteSecrets } from './rewrite-secrets.ts'
import { spreadTrust } from './spread-trust.ts'

export interface RotateKeysDependencies extends ChangeDependencies {
  contexts: Pick<Contexts, 'trust'>
}

export interface RotateKeysOptions extends ChangeOptions {
  keys: RotatedKeys
  /** @default the next one */
  until?: RotationStage | undefined
}

export interface KeyRotation {
  plane: Plane
  /** The stages that were taken, or would be, in order. */
  stages: RotationStage[]
  /** What is done in them. */
  steps: PlanStep[]
  /** The next stage; undefined when the rotation is complete. */
  next?: RotationStage
  /** False when there was nothing to do, and in a dry run. */
  isChanged: boolean
}

/**
 * Takes the next stage of a rotation, or all stages up to `until`: shows what is done and what stops working, asks,
 * does it, and waits until the plane can be used again. Each stage also updates stored accesses and the contexts in the
 * user's kubeconfig. The same call continues an interrupted stage.
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, `FAILED` when the plane is paused, another rotation of it was
 * interrupted or someone else has continued this one, and what `agreeTo`, the driver and `waitForAccess` throw.
 */
export async function rotateKeys(
  deps: RotateKeysDependencies,
  { isConfirmed, isDryRun, keys, signal, timeoutMs, until, ...selector }: RotateKeysOptions,
): Promise<KeyRotation> {
  const { driver, plane } = await resolvePlane(deps, selector)
  refuseWhilePaused(plane, 'rotated')
  refuseOutdated(plane)
  refuseUnencrypted(plane, keys)
  await finishFirst('rotate', { driver, plane }, { ui: deps.ui, signal, timeoutMs, isDryRun })
  const progress = await driver.certificates.rotation(plane, keys)
  const { unfinished } = progress
  // The same command continues its own rotation.
  if (unfinished !== undefined && unfinished.keys !== keys) {
    throw unfinishedError(plane, { kind: 'rotation', keys: unfinished.keys })
  }
  const stages = stagesAhead(progress, until)
  const last = stages.at(-1)
  if (last === undefined) {
    return { plane, stages, steps: [], ...after(progress.taken), isChanged: false }
  }
  const steps = stepsOf(plane, keys, stages)
  const result = { plane, stages, steps, ...after(last) }
  const { what } = ROTATION_WORDS[keys]
  const proposal = {
    steps,
    effects: effectsOf(keys, stages),
    question: `Rotate ${what} of "${plane.name}": ${stages.join(', ')}?`,
    refusal: `${what} of "${plane.name}" was left unchanged`,
  }
  if (!(await agreeTo(deps.ui, { ...proposal, isConfirmed, isDryRun }))) {
    return { ...result, isChanged: false }
  }
  for (const stage of stages) {
    await takeStage(deps, { driver, plane, step: { keys, stage }, timeoutMs, signal })
  }
  return { ...result, isChanged: true }
}

interface Taking extends ResolvedPlane {
  step: RotationStep
  timeoutMs: number
  signal: AbortSignal
}

async function takeStage(
  deps: RotateKeysDependencies,
  { driver, plane, signal, step, timeoutMs }: Taking,
): Promise<void> {
  const { ui } = deps
  // If someone continued the rotation between this and the drop of the old key, another key could encrypt Secrets.
  const untilSafe = async () => {
    if (step.keys === 'encryption-key' && step.stage === 'complete') {
      const access = await waitForAccess(deps, { driver, plane, timeoutMs, signal })
      await using api = deps.openApi(access)
      const readStored = () => driver.certificates.secretsInEtcd(plane, signal)
      await rewriteSecrets(api, { readStored, ui, signal })
    }
    if (step.keys !== 'encryption-key' && step.stage === 'complete') {
      await credentialsRenewed({ driver, plane }, { ui, timeoutMs, signal })
    }
  }
  const untilSettled = async () => {
    ui.step('Waiting for the API')
    const access = await waitForAccess(deps, { driver, plane, timeoutMs, signal })
    const { certificateAuthority } = access
    await deps.contexts.trust(plane, certificateAuthority, signal)
    if (step.keys === 'ca') {
      const isNarrower = step.stage === 'complete'
      await using api = deps.openApi(access)
      await spreadTrust(api, { certificateAuthority, isNarrower, timeoutMs, signal })
    }
  }
  const request = { ...step, untilSafe, untilSettled }
  await driver.certificates.rotate(plane, request, { ui, signal, timeoutMs })
}

/** The rotation would replace its components by those of this vplane, but not all objects that they need. */
function refuseOutdated(plane: Plane): void {
  if (isOutdated(plane)) {
    throw new VplaneError('FAILED', `"${plane.name}" still uses the templates of an older vplane`, {
      hints: [{ action: 'upgrade', plane }],
    })
  }
}

function refuseUnencrypted({ name, spec }: Plane, keys: RotatedKeys): void {
  if (keys === 'encryption-key' && spec.encryption?.secrets !== true) {
    throw new VplaneError('FAILED', `the Secrets of "${name}" are not encrypted`, {
      hints: ['encryption can only be chosen at create: encryption.secrets=true in the spec'],
    })
  }
}

function after(stage: RotationStage | undefined): { next?: RotationStage } {
  const next = stage === undefined ? undefined : ROTATION_STAGES[ROTATION_STAGES.indexOf(stage) + 1]
  return next === undefined ? {} : { next }
}

function stepsOf({ spec }: Plane, keys: RotatedKeys, stages: readonly RotationStage[]): PlanStep[] {
  return stages.map((stage) => {
    const { replaces } = ROTATION_WORDS[keys].stages[stage]
    const components = ownComponentsOf(spec).filter((component) => replaces.includes(component))
    return { action: 'rotate-keys', keys, stage, components }
  })
}

function effectsOf(keys: RotatedKeys, stages: readonly RotationStage[]): string[] {
  const ends = stages.flatMap((stage) => ROTATION_WORDS[keys].stages[stage].ends ?? [])
  return ends.length === 0 ? [] : ['Will stop working:', ...ends.map((line) => `  ${line}`)]
}
