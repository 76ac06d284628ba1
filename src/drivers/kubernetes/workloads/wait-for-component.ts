import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import { waitFor } from '../../../shared/wait.ts'
import { Paced } from './paced.ts'
import { toFailure } from './check-components.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { ComponentProblem } from '../context/problem.ts'
import { planeSelector } from '../context/object-names.ts'
import { watchForWakeUps } from '../host/wake-ups.ts'
import { CHANGE_TIMEOUT_MS, type ChangeContext } from '../objects/change-context.ts'

/** How often to diagnose why a component does not meet a condition, in milliseconds. */
const DIAGNOSIS_INTERVAL_MS = 1000

export interface ComponentCondition<T> {
  component: AnyComponentName
  /** Follows "waiting for" in messages: `the new pods of etcd`. */
  what: string
  check: (signal: AbortSignal) => Promise<T | false | undefined>
  /** The pods concerned: a problem of another pod does not end the wait. @default all */
  pods?: readonly string[]
}

/**
 * Checks a condition after every change of a pod of the plane, until it is met.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when a pod of the component can never run, `TIMED_OUT`.
 */
export async function waitForComponent<T>(
  context: Pick<ChangeContext, 'diagnose' | 'host' | 'operation' | 'place'>,
  { component, check, pods, what }: ComponentCondition<T>,
): Promise<T> {
  const { diagnose, host, operation, place } = context
  const { api, context: hostContext } = host
  const { signal, timeoutMs = CHANGE_TIMEOUT_MS, ui } = operation
  const path = collectionPath('pods', place.namespace)
  const paced = new Paced<void>(DIAGNOSIS_INTERVAL_MS)
  let reported = ''
  await using changes = watchForWakeUps(api, path, { labelSelector: planeSelector(place.name) })
  return await waitFor(
    async (deadline) => {
      const found = await check(deadline)
      if (found !== undefined && found !== false) {
        return found
      }
      await paced.ask(async () => {
        const problems = await diagnose({ ...place, api, hostContext, signal: deadline })
        const problem = problems.find((one) => one.component === component && isAbout(one, pods))
        if (problem?.final === true) {
          throw toFailure(place, problem)
        }
        if (problem !== undefined && problem.reason !== reported) {
          reported = problem.reason
          ui.progress(reported)
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
      hints: [{ action: 'describe', plane: place }, 'the same command continues'],
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
