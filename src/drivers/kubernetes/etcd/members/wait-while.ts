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
      // A member that joins may end until etcd has it.
      pods: plan.for === 'copy' ? [] : [...names],
      check: async (signal) => {
        const next = await planAgain(signal)
        return next !== undefined && !isDeepStrictEqual(next.plan, plan)
      },
    })
  } catch (error) {
    throw plan.for === 'members' && error instanceof VplaneError
      ? explained(error, { names, place, isSilent })
      : error
  }
}

/** What keeps other members from working, and that repair helps. */
function explained(
  error: VplaneError,
  {
    isSilent,
    names,
    place,
  }: Pick<ChangeContext, 'place'> & { names: readonly string[]; isSilent: boolean },
): VplaneError {
  const message = `${names.join(', ')} of "${place.name}" does not work`
  const repair = { action: 'repair', plane: place } as const
  if (isSilent && error.code === 'TIMED_OUT') {
    const hints = [repair]
    return new VplaneError('FAILED', `${message}: etcd would have no majority`, {
      hints,
      cause: error,
    })
  }
  return error.code === 'COMPONENT_FAILED'
    ? new VplaneError(error.code, `${message}: ${error.message}`, {
        hints: [repair, ...error.hints],
        cause: error,
      })
    : error
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
