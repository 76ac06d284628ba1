import {
  addMemberAt,
  isTransient,
  promoteMemberAt,
  removeMemberAt,
} from '../../../../etcd/members/change-member.ts'
import type { EtcdCluster } from '../../../../etcd/members/etcd-cluster.ts'
import { memberName } from '../../../../manifests/pod-layout.ts'
import type { VplaneError } from '../../../../shared/errors.ts'
import { waitFor } from '../../../../shared/wait.ts'
import { CHANGE_TIMEOUT_MS, type ChangeContext } from '../../objects/change-context.ts'
import { waitForComponent } from '../../workloads/wait-for-component.ts'

const RETRY_MS = 200

type MemberContext = Pick<ChangeContext, 'operation' | 'place'>

/** Adds the member of an ordinal to etcd with `addMemberAt`, as soon as etcd accepts it. */
export async function addMember(
  context: MemberContext,
  cluster: EtcdCluster,
  ordinal: number,
): Promise<void> {
  const { operation, place } = context
  await retryTransient(context, memberName(place.name, ordinal), () =>
    addMemberAt(cluster, ordinal, operation.signal),
  )
}

/** Removes the member of an ordinal from etcd with `removeMemberAt`, as soon as etcd accepts it. */
export async function removeMember(
  context: MemberContext,
  cluster: EtcdCluster,
  ordinal: number,
): Promise<void> {
  const { operation, place } = context
  await retryTransient(context, memberName(place.name, ordinal), () =>
    removeMemberAt(cluster, ordinal, operation.signal),
  )
}

/** Returns when the member of an ordinal has copied all data and has its vote. */
export async function waitForCopy(
  context: ChangeContext,
  cluster: EtcdCluster,
  ordinal: number,
): Promise<void> {
  const name = memberName(context.place.name, ordinal)
  // A learner is never ready.
  await waitForComponent(context, {
    component: 'etcd',
    what: `the copy of the data in ${name}`,
    pods: [name],
    check: (deadline) => unlessTransient(() => promoteMemberAt(cluster, ordinal, deadline)),
  })
}

/** Retries what etcd refuses while its members connect: "unhealthy cluster", a learner that is not in sync. */
export async function retryTransient<T>(
  { operation, place }: MemberContext,
  member: string,
  act: () => Promise<T>,
): Promise<T> {
  const { signal, timeoutMs = CHANGE_TIMEOUT_MS, ui } = operation
  const { result } = await waitFor(
    () =>
      unlessTransient(
        async () => ({ result: await act() }),
        (error) => ui.progress(error.message),
      ),
    {
      what: `etcd of "${place.name}" to agree about ${member}`,
      timeoutMs,
      intervalMs: RETRY_MS,
      signal,
      hints: ['the same command continues', { action: 'repair', plane: place }],
    },
  )
  return result
}

/** Returns the result; undefined when the next attempt may succeed. */
async function unlessTransient<T>(
  act: () => Promise<T>,
  onTransient: (error: VplaneError) => void = () => {},
): Promise<T | undefined> {
  try {
    return await act()
  } catch (error) {
    if (!isTransient(error)) {
      throw error
    }
    onTransient(error)
    return undefined
  }
}
