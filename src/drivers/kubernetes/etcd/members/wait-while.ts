import { isDeepStrictEqual } from 'node:util'
import type { MemberPlan, ObservedEtcd } from '../../../../etcd/planner/observed-etcd.ts'
import { VplaneError } from '../../../../shared/errors.ts'
import type { ChangeContext } from '../../objects/change-context.ts'
import { waitForComponent } from '../../workloads/wait-for-component.ts'

/** How long members whose pods are ready may take to work, in milliseconds. */
const SETTLE_MS = 20_000

type Wait = Extract<MemberPlan, { kind: 'wait' }>

/** An etcd as it was observed, and what is due then. */
export interface Planned {
  observed: ObservedEtcd
  plan: MemberPlan
}

/**
 * Waits while the plan is to wait for the same members, whose `names` errors have.
 * @throws {VplaneError} `FAILED` when ready members do not work, `COMPONENT_FAILED` when a member cannot run, `TIMED_OUT`.
 */
export async function waitWhile(
  context: ChangeContext,
  { names, observed, plan }: Planned & { plan: Wait; names: readonly string[] },
  planAgain: (signal: AbortSignal) => Promise<Planned | undefined>,
): Promise<void> {
  const { operation, place } = context
  const isSilent =
    plan.for === 'members' &&
    observed.places.every(
      ({ ordinal, pod }) => !plan.ordinals.includes(ordinal) || pod?.isReady === true,
    )
  const { timeoutMs = SETTLE_MS } = operation
  const limited = { ...operation, timeoutMs: Math.min(timeoutMs, SETTLE_MS) }
  try {
    await waitForComponent(isSilent ? { ...context, operation: limited } : context, {
      component: 'etcd',
      what: whatOf(plan, names.join(', ')),
      pods: [...names],
      check: async (signal) => {
        const next = await planAgain(signal)
        return next !== undefined && !isDeepStrictEqual(next.plan, plan)
      },
    })
  } catch (error) {
    if (!isSilent || !(error instanceof VplaneError) || error.code !== 'TIMED_OUT') {
      throw error
    }
    const message = `${names.join(', ')} of "${place.name}" does not work: etcd would have no majority`
    throw new VplaneError('FAILED', message, {
      hints: [{ action: 'repair', plane: place }],
      cause: error,
    })
  }
}

function whatOf({ for: reason }: Wait, names: string): string {
  return {
    majority: 'a majority of etcd',
    members: `the other members of etcd, ${names},`,
    copy: `the copy of the data in ${names}`,
    'pod-end': `the end of ${names}`,
    'claim-end': `the end of the volume of ${names}`,
  }[reason]
}
