import { nextStep } from '../../../../etcd/planner/next-step.ts'
import {
  isStep,
  type MemberPlan,
  type ObservedEtcd,
} from '../../../../etcd/planner/observed-etcd.ts'
import { memberName } from '../../../../manifests/pod-layout.ts'
import { VplaneError } from '../../../../shared/errors.ts'
import { CHANGE_TIMEOUT_MS, type ChangeContext } from '../../objects/change-context.ts'
import { refuseDataLoss } from '../../record/hold-plane.ts'
import { waitForComponent } from '../../workloads/wait-for-component.ts'
import { doStep, wordsOf } from './do-step.ts'
import { type EtcdContext, type MembersWanted, plannedEtcd } from './planned-etcd.ts'
import { type Planned, waitWhile } from './wait-while.ts'

/**
 * Does the planner's steps until etcd is as wanted: members are removed and added one at a time, a new one copies the data
 * of the others before it gets its vote, and pods of a former template are replaced, the leader last. Each step is derived
 * from what is observed, so any command continues what another one left.
 *
 * Only warns about members that do not work when a majority works and there is nothing to do.
 *
 * @throws {VplaneError} `FAILED` naming the members that have to work first, `COMPONENT_FAILED` when a member cannot run,
 * `TIMED_OUT`.
 */
export async function reconcileMembers(context: EtcdContext, wanted: MembersWanted): Promise<void> {
  const { operation, place } = context
  const planned = async (signal: AbortSignal): Promise<Planned | undefined> => {
    const observed = await plannedEtcd(context, wanted, signal)
    return observed && { observed, plan: nextStep(observed, wanted) }
  }
  let hasChanged = false
  const begun = new Map<string, number>()
  for (;;) {
    const { observed, plan } = await planOnce(context, planned)
    if (plan.kind === 'done') {
      return
    }
    if (plan.kind === 'stuck') {
      throw stuck(context, plan)
    }
    if (isStep(plan)) {
      hasChanged = true
      refuseEndless(context, begun, wordsOf(context, plan))
      await doStep(context, { observed, step: plan })
      continue
    }
    const names = plan.ordinals.map((ordinal) => memberName(place.name, ordinal))
    if (!hasChanged && isComplete(observed, wanted)) {
      const hint = { action: 'repair', plane: place } as const
      return operation.ui.warn(`${names.join(', ')} of etcd does not work`, hint)
    }
    await waitWhile(context, { observed, plan, names }, planned)
  }
}

/** Plans the next step, once the host has observed etcd's StatefulSet. */
async function planOnce(
  context: ChangeContext,
  planned: (signal: AbortSignal) => Promise<Planned | undefined>,
): Promise<Planned> {
  return (
    (await planned(context.operation.signal)) ??
    (await waitForComponent(context, {
      component: 'etcd',
      what: 'the host to observe its StatefulSet',
      pods: [],
      check: planned,
    }))
  )
}

/** Whether etcd has all members, pods and no more, a majority works, and it only waits for the others. */
function isComplete(
  { joining, members = [], places, replicas }: ObservedEtcd,
  { count }: MembersWanted,
): boolean {
  const isWhole =
    members.length === count &&
    members.every(({ isLearner, ordinal }) => !isLearner && Number(ordinal) < count)
  const working = places.filter(({ works }) => works === 'yes')
  const isStale = places.some(({ pod }) => pod?.isStale === true)
  return (
    isWhole && replicas === count && joining === undefined && !isStale && working.length * 2 > count
  )
}

function stuck(
  { journal, place }: ChangeContext,
  { ordinals, why }: Extract<MemberPlan, { kind: 'stuck' }>,
): VplaneError {
  if (why === 'data-in-pod') {
    refuseDataLoss(journal.record, [])
  }
  const names = ordinals.map((ordinal) => memberName(place.name, ordinal)).join(', ')
  const reason = {
    'foreign-member': 'has a member that is none of its pods',
    alarm: 'has raised an alarm',
    'majority-lost': `has lost its majority with ${names}`,
    'data-in-pod': `has its only data in ${names}`,
  }[why]
  return new VplaneError('FAILED', `etcd of "${place.name}" ${reason}`, {
    hints: [{ action: 'repair', plane: place }],
  })
}

/** A step that is due again and again has no effect. @throws {VplaneError} `TIMED_OUT`. */
function refuseEndless(
  { operation, place }: ChangeContext,
  begun: Map<string, number>,
  words: string,
): void {
  const { timeoutMs = CHANGE_TIMEOUT_MS } = operation
  const now = performance.now()
  const since = begun.get(words) ?? now
  begun.set(words, since)
  if (now - since > timeoutMs) {
    throw new VplaneError(
      'TIMED_OUT',
      `etcd of "${place.name}" did not accept this change in time: ${words}`,
      {
        hints: ['the same command continues', { action: 'repair', plane: place }],
      },
    )
  }
}
