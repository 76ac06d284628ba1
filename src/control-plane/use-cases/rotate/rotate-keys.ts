import { VplaneError } from '../../../shared/errors.ts'
import type { Driver } from '../../driver/driver.ts'
import { type AnyComponentName, componentsOf, isOutdated, type Plane } from '../../plane/plane.ts'
import {
  type RotatedKeys,
  ROTATION_STAGES,
  type RotationProgress,
  type RotationStage,
  type RotationStep,
  stagesAhead,
} from '../../rotation/rotation.ts'
import { componentWords } from '../../plane/component-words.ts'
import { ROTATION_WORDS } from '../../rotation/rotation-words.ts'
import { type AccessDependencies, waitForAccess } from '../access/access.ts'
import { agreeTo, numbered } from '../change/agree-to.ts'
import type { ChangeOptions } from '../change/change-control-plane.ts'
import type { Contexts } from '../access/contexts.ts'
import { refuseWhilePaused } from '../find/refuse-while-paused.ts'
import { resolvePlane } from '../find/resolve-plane.ts'
import { rewriteSecrets } from './rewrite-secrets.ts'
import { spreadTrust } from './spread-trust.ts'

export interface RotateKeysDependencies extends AccessDependencies {
  drivers: readonly Driver[]
  contexts: Pick<Contexts, 'trust'>
}

export interface RotateKeysOptions extends ChangeOptions {
  keys: RotatedKeys
  /** The stage to go to, through those before it. @default the next one */
  until?: RotationStage | undefined
}

export interface KeyRotation {
  plane: Plane
  /** The stages that were taken, or would be, in their order. */
  stages: RotationStage[]
  /** The stage that comes next; undefined when the rotation is complete. */
  next?: RotationStage
  /** False when there was nothing to do, or it was only to be said. */
  isChanged: boolean
}

/**
 * Takes the next stage of a rotation, or all up to one: shows what is done and what ends with it, asks, does it, and waits
 * until the plane can be used again. A stage that was cut off is gone on with by the same call. What vplane keeps to reach
 * the plane, its contexts in the user's kubeconfig included, goes along with each stage.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, `FAILED` when the plane rests, another rotation of it was cut off or
 * somebody else has gone on with this one, `ABORTED` after a no, `USAGE` when nobody can be asked, and what the driver and `waitForAccess` throw.
 */
export async function rotateKeys(
  deps: RotateKeysDependencies,
  { isConfirmed, isDryRun, keys, signal, timeoutMs, until, ...selector }: RotateKeysOptions,
): Promise<KeyRotation> {
  const { driver, plane } = await resolvePlane(deps, selector)
  refuseWhilePaused(plane, 'rotated')
  refuseOutdated(plane)
  refuseUnencrypted(plane, keys)
  const progress = await driver.certificates.rotation(plane, keys)
  refuseOther(plane, progress, keys)
  const stages = stagesAhead(progress, until)
  const last = stages.at(-1)
  if (last === undefined) {
    return { plane, stages, ...after(progress.taken), isChanged: false }
  }
  const result = { plane, stages, ...after(last) }
  const { what } = ROTATION_WORDS[keys]
  const proposal = {
    lines: linesOf(plane, keys, stages),
    question: `Rotate ${what} of "${plane.name}": ${stages.join(', ')}?`,
    refusal: `${what} of "${plane.name}" was left as it is`,
  }
  if (!(await agreeTo(deps.ui, { ...proposal, isConfirmed, isDryRun }))) {
    return { ...result, isChanged: false }
  }
  for (const stage of stages) {
    await takeStage(deps, { driver, plane, step: { keys, stage }, timeoutMs, signal })
  }
  return { ...result, isChanged: true }
}

interface Taking {
  driver: Driver
  plane: Plane
  step: RotationStep
  timeoutMs: number
  signal: AbortSignal
}

async function takeStage(
  deps: RotateKeysDependencies,
  { driver, plane, signal, step, timeoutMs }: Taking,
): Promise<void> {
  const { ui } = deps
  // Whoever went on with the rotation between this and the drop might have made another key the one that writes.
  const untilSafe = async () => {
    if (step.keys === 'encryption-key' && step.stage === 'complete') {
      const access = await waitForAccess(deps, { driver, plane, timeoutMs, signal })
      await using api = deps.openApi(access)
      const look = () => driver.certificates.secretsInEtcd(plane, signal)
      await rewriteSecrets(api, { look, ui, signal })
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

/** Its components would be replaced by those of this vplane, half of what they need by that of another. */
function refuseOutdated(plane: Plane): void {
  if (isOutdated(plane)) {
    throw new VplaneError('FAILED', `"${plane.name}" runs by the templates of an older vplane`, {
      hints: [{ action: 'upgrade', plane }],
    })
  }
}

function refuseUnencrypted({ name, spec }: Plane, keys: RotatedKeys): void {
  if (keys === 'encryption-key' && spec.encryption?.secrets !== true) {
    throw new VplaneError('FAILED', `the Secrets of "${name}" are not encrypted`, {
      hints: ['a plane is made so: encryption.secrets=true in its spec'],
    })
  }
}

/** What is begun is finished before anything else begins. */
function refuseOther(plane: Plane, { unfinished }: RotationProgress, keys: RotatedKeys): void {
  if (unfinished !== undefined && unfinished.keys !== keys) {
    const { what } = ROTATION_WORDS[unfinished.keys]
    throw new VplaneError('FAILED', `the rotation of ${what} of "${plane.name}" was cut off`, {
      hints: [{ purpose: 'to continue', action: `rotate-${unfinished.keys}`, plane }],
    })
  }
}

function after(stage: RotationStage | undefined): { next?: RotationStage } {
  const next = stage === undefined ? undefined : ROTATION_STAGES[ROTATION_STAGES.indexOf(stage) + 1]
  return next === undefined ? {} : { next }
}

function linesOf({ spec }: Plane, keys: RotatedKeys, stages: readonly RotationStage[]): string[] {
  const components = componentsOf(spec)
  const namesOf = (replaced: readonly AnyComponentName[]) =>
    components
      .filter((component) => replaced.includes(component))
      .map(componentWords)
      .join(', ')
  const words = stages.map((stage) => ROTATION_WORDS[keys].stages[stage])
  const ends = words.flatMap((one) => one.ends)
  return [
    'Will be done:',
    ...numbered(
      words.map(
        ({ does, replaces }, index) => `${stages[index]}: ${does}; replaces ${namesOf(replaces)}`,
      ),
    ).map((step) => `  ${step}`),
    ...(ends.length === 0 ? [] : ['Will work no more:', ...ends.map((line) => `  ${line}`)]),
  ]
}
