import { VplaneError } from '../../../shared/errors.ts'
import type { Ui } from '../../../shared/ui.ts'
import { waitFor } from '../../../shared/wait.ts'
import type { DeclaredState, Operators } from '../../declared/operators.ts'
import type { Driver } from '../../driver/driver.ts'
import { deletedMeanwhile } from '../../plane/deleted-meanwhile.ts'
import type { Plane } from '../../plane/plane.ts'
import { isReadable } from '../../plane/unreadable-plane.ts'

/** How long an operator may take to notice a change, in milliseconds. */
const NOTICE_MS = 30_000

const POLL_MS = 500

/** What of a plane an operator has to notice. */
const NOUNS = { change: 'change of', create: 'ControlPlane' } as const

export interface AwaitedWork {
  driver: Driver
  place: { name: string; namespace: string }
  /** The generation of the ControlPlane's spec that the operator is to act on. */
  generation: number
  /** What the operator does, as errors name it. */
  verb: 'change' | 'create'
  /** Return as soon as the plane exists. @default false */
  isEnoughToExist?: boolean
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Waits until an operator has made a plane as its ControlPlane says, and shows its steps.
 * @throws {VplaneError} `FAILED` with what prevents the operator, `TIMED_OUT`.
 */
export async function awaitOperator(
  { operators, ui }: { operators: Pick<Operators, 'observe'>; ui: Pick<Ui, 'step'> },
  { driver, generation, isEnoughToExist = false, place, timeoutMs, ...work }: AwaitedWork,
): Promise<Plane> {
  const { signal } = work
  const find = () => findPlane(driver, place, signal)
  ui.step('Waiting for the operator')
  const startedAt = performance.now()
  let shown = ''
  await waitFor(
    async (either) => {
      const state = await operators.observe(place, either)
      const isNoticed = state.observedGeneration >= generation
      refuseSilence(isNoticed ? 0 : performance.now() - startedAt, { ...work, place })
      if (isNoticed && state.work !== shown && state.work !== '') {
        shown = state.work
        ui.step(shown)
      }
      const isEnough = isEnoughToExist && (await find()) !== undefined
      return isEnough || (isNoticed && isDone(state, { ...work, place }))
    },
    { what: `"${place.name}"`, timeoutMs, intervalMs: POLL_MS, signal },
  )
  const found = await find()
  if (found === undefined) {
    throw deletedMeanwhile(place.name)
  }
  return found
}

async function findPlane(
  driver: Driver,
  { name, namespace }: AwaitedWork['place'],
  signal: AbortSignal,
): Promise<Plane | undefined> {
  const [found] = await driver.find(name, { namespace, signal })
  return found !== undefined && isReadable(found) ? found : undefined
}

function isDone(
  { failure, isProgressing }: DeclaredState,
  { place, verb }: Pick<AwaitedWork, 'place' | 'verb'>,
): boolean {
  if (failure !== undefined && !isProgressing) {
    throw new VplaneError('FAILED', `the operator cannot ${verb} "${place.name}": ${failure}`)
  }
  return !isProgressing
}

function refuseSilence(
  silentMs: number,
  { place, verb }: Pick<AwaitedWork, 'place' | 'verb'>,
): void {
  if (silentMs > NOTICE_MS) {
    const { name, namespace } = place
    const giveUp =
      verb === 'create'
        ? `to withdraw it: kubectl --namespace ${namespace} delete vcp ${name}`
        : ({ action: 'release', plane: place } as const)
    throw new VplaneError('TIMED_OUT', `no operator has noticed the ${NOUNS[verb]} "${name}"`, {
      hints: [{ action: 'show-operator' }, giveUp],
    })
  }
}
