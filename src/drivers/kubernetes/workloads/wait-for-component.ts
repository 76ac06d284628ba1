import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import { waitFor } from '../../../shared/wait.ts'
import { Paced } from './paced.ts'
import { toFailure } from './check-components.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { ComponentProblem } from '../context/problem.ts'
import { planeSelector } from '../context/object-names.ts'
import { watchForWakeUps } from '../host/wake-ups.ts'
import { CHANGE_TIMEOUT_MS, type ChangeContext } from '../objects/change-context.ts'

/** How often it is looked up why a component is not as it is to be, in milliseconds. */
const PACE_MS = 1000

/** What is waited for, of which component. */
export interface ComponentCondition<T> {
  component: AnyComponentName
  /** As it reads after "waiting for": `the new pods of etcd`. */
  what: string
  look: (signal: AbortSignal) => Promise<T | false | undefined>
  /** Those of its pods that it is about: what keeps others from running does not end the wait. @default all */
  pods?: readonly string[]
}

/**
 * PlaneObserver whenever something happens to the pods of a plane, until a condition of a component holds.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` as soon as it is known that a pod of the component can never run, `TIMED_OUT`.
 */
export async function waitForComponent<T>(
  {
    diagnose,
    host,
    operation,
    place,
  }: Pick<ChangeContext, 'diagnose' | 'host' | 'operation' | 'place'>,
  { component, look, pods, what }: ComponentCondition<T>,
): Promise<T> {
  const { api, context: hostContext } = host
  const { signal, timeoutMs = CHANGE_TIMEOUT_MS, ui } = operation
  const path = collectionPath('pods', place.namespace)
  const paced = new Paced<void>(PACE_MS)
  let said = ''
  await using changes = watchForWakeUps(api, path, { labelSelector: planeSelector(place.name) })
  return await waitFor(
    async (deadline) => {
      const found = await look(deadline)
      if (found !== undefined && found !== false) {
        return found
      }
      await paced.ask(async () => {
        const problems = await diagnose({ ...place, api, hostContext, signal: deadline })
        const problem = problems.find((one) => one.component === component && isAbout(one, pods))
        if (problem?.final === true) {
          throw toFailure(place, problem)
        }
        if (problem !== undefined && problem.reason !== said) {
          said = problem.reason
          ui.progress(said)
        }
      })
      await changes.next(deadline)
      return false
    },
    {
      what: `${what} of "${place.name}"`,
      timeoutMs,
      intervalMs: 1,
      signal,
      hints: [{ action: 'describe', plane: place }, 'the same command goes on'],
    },
  )
}

function isAbout({ object }: ComponentProblem, pods: readonly string[] | undefined): boolean {
  return (
    pods === undefined ||
    !object.startsWith('Pod ') ||
    pods.some((name) => object === `Pod "${name}"`)
  )
}
