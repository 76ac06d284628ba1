import { setTimeout as delay } from 'node:timers/promises'
import { isTransient } from '../../../../etcd/members/is-transient.ts'
import { changeMembership } from '../../../../etcd/members/change-membership.ts'
import {
  isMembershipStep,
  type MemberStep,
  type ObservedEtcd,
} from '../../../../etcd/planner/observed-etcd.ts'
import { memberName } from '../../../../manifests/pod-layout.ts'
import { isVplaneError } from '../../../../shared/errors.ts'
import { objectPath } from '../../../../shared/kube/collections.ts'
import { applyObjects } from '../../host/apply-objects.ts'
import type { ChangeContext } from '../../objects/change-context.ts'
import { storeObjects } from '../../objects/store-objects.ts'
import { scaledTo, workloadPath } from '../../observed/workloads.ts'
import { claimOf, deleteClaim } from './member-volumes.ts'
import { type EtcdContext, filesOf } from './planned-etcd.ts'

const RETRY_MS = 200

/**
 * Does one step of the planner. What has changed since it was decided, and what etcd refuses while its members connect, is
 * reported as progress: the next observation shows what is due then.
 * @throws {VplaneError} `CONFLICT` when a claim is another one now, `UNREACHABLE` when the host does not respond.
 */
export async function doStep(
  context: EtcdContext,
  { observed, step }: { observed: ObservedEtcd; step: MemberStep },
): Promise<void> {
  const { journal, operation } = context
  const { signal, ui } = operation
  const words = wordsOf(context, step)
  ui.step(words)
  const changesNumber = !['delete-claim', 'delete-pod', 'disarm', 'move-leader'].includes(step.kind)
  await journal.step(words, {
    // A majority works, so that its members have data: none may start as a new etcd.
    ...(changesNumber && observed.members !== undefined ? { hasData: true } : {}),
    ...(step.kind === 'scale' ? { etcdMembers: step.replicas } : {}),
  })
  try {
    await act(context, { observed, step })
  } catch (error) {
    const isOutdated = isVplaneError(error, 'CONFLICT') && step.kind !== 'delete-claim'
    if (!isOutdated && !(isMembershipStep(step) && isTransient(error))) {
      throw error
    }
    ui.progress(error.message)
    await delay(RETRY_MS, undefined, { signal })
  }
}

async function act(
  context: EtcdContext,
  { observed, step }: { observed: ObservedEtcd; step: MemberStep },
): Promise<void> {
  const { cluster, host, operation, place } = context
  const { api } = host
  const { signal } = operation
  const { namespace } = place
  switch (step.kind) {
    case 'add-member':
    case 'promote-member':
    case 'remove-member':
    case 'move-leader':
    case 'disarm':
      return changeMembership(cluster, step, signal)
    case 'open-files':
      return openFiles(context, { observed, step })
    case 'close-files':
      return filesOf(context).publish(undefined, { ...step, signal })
    case 'scale': {
      const { replicas, resourceVersion } = step
      const body = { metadata: { resourceVersion }, ...Object(scaledTo(replicas)) }
      await api.patch(workloadPath(place, 'etcd'), body, { type: 'merge', signal })
      return
    }
    case 'delete-claim': {
      const name = claimOf(memberName(place.name, step.ordinal))
      return deleteClaim(api, { name, namespace, uid: step.uid }, signal)
    }
    case 'delete-pod': {
      const path = objectPath('pods', { name: memberName(place.name, step.ordinal), namespace })
      const graceSeconds = step.isForced ? 0 : undefined
      await api.delete(path, { uid: step.uid, graceSeconds, signal })
    }
  }
}

/** A new member has no file yet. */
async function openFiles(
  context: ChangeContext,
  {
    observed: { replicas },
    step,
  }: { observed: ObservedEtcd; step: Extract<MemberStep, { kind: 'open-files' }> },
): Promise<void> {
  const { host, journal, operation } = context
  const { signal } = operation
  const { joining, resourceVersion } = step
  const files = filesOf(context)
  if (joining.ordinal < replicas) {
    return files.publish(joining, { resourceVersion, signal })
  }
  const record = { ...journal.record, etcdMembers: joining.ordinal + 1, hasData: true }
  const { configuration } = storeObjects({ ...context, journal: { record } })
  await applyObjects(host.api, configuration, signal)
  await files.publish(joining, { ...(await files.read(signal)), signal })
}

/** Returns what a step does, for progress and the plane's journal. */
export function wordsOf({ place }: Pick<ChangeContext, 'place'>, step: MemberStep): string {
  const nameOf = (ordinal: number) => memberName(place.name, ordinal)
  if (step.kind === 'scale') {
    return `Scaling etcd to ${step.replicas}`
  }
  if (step.kind === 'close-files') {
    return 'Letting no member of etcd start without data'
  }
  if (step.kind === 'disarm') {
    return 'Disarming the alarms of etcd'
  }
  if (step.kind === 'open-files') {
    return `Letting ${nameOf(step.joining.ordinal)} start without data`
  }
  if (step.kind === 'move-leader') {
    return `Moving the leadership of etcd away from ${nameOf(step.from)}`
  }
  const name = nameOf(step.ordinal)
  return {
    'add-member': `Adding ${name} to etcd`,
    'promote-member': `Giving ${name} its vote`,
    'remove-member': `Removing ${name} from etcd`,
    'delete-claim': `Deleting the volume claim ${claimOf(name)}`,
    'delete-pod': `Replacing ${name}`,
  }[step.kind]
}
