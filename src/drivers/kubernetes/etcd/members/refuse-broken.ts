import type { EtcdCluster } from '../../../../etcd/members/etcd-cluster.ts'
import { memberName } from '../../../../manifests/pod-layout.ts'
import { VplaneError } from '../../../../shared/errors.ts'
import { waitFor } from '../../../../shared/wait.ts'
import type { ChangeContext } from '../../objects/change-context.ts'
import { retryTransient } from './change-member.ts'

/** How long members that have just started may take to work, in milliseconds. */
const SETTLE_MS = 20_000

export interface NeededMembers {
  /** How many members are checked, from the first one. */
  members: number
  /** Whether these working members are enough. */
  isFine: (working: readonly number[]) => boolean
  /** What would happen otherwise: `etcd would have no majority`. */
  why: string
}

/**
 * Returns when a majority of etcd works without the member of an ordinal. Counts the members that etcd itself lists:
 * the record may have more or fewer after a command that was interrupted.
 *
 * @throws {VplaneError} as `refuseBroken` does, `TIMED_OUT` when etcd does not list its members.
 */
export async function refuseMinority(
  context: Pick<ChangeContext, 'operation' | 'place'>,
  cluster: Pick<EtcdCluster, 'voters' | 'working'>,
  ordinal: number,
): Promise<void> {
  const { operation, place } = context
  const name = memberName(place.name, ordinal)
  const voters = await retryTransient(context, name, () => cluster.voters(operation.signal))
  const others = voters.filter((other) => other !== ordinal)
  await refuseBroken(context, cluster, {
    members: Math.max(...voters) + 1,
    isFine: (working) => working.filter((one) => others.includes(one)).length * 2 > others.length,
    why: `without ${name}, etcd would have no majority`,
  })
}

/**
 * Returns when enough members of etcd work for a change of its members.
 * @throws {VplaneError} `FAILED` naming the members that do not work after 20 s.
 */
export async function refuseBroken(
  { operation, place }: Pick<ChangeContext, 'operation' | 'place'>,
  cluster: Pick<EtcdCluster, 'working'>,
  { isFine, members, why }: NeededMembers,
): Promise<void> {
  const { name } = place
  const { signal, timeoutMs = SETTLE_MS } = operation
  let working: number[] = []
  try {
    await waitFor(
      async (deadline) => {
        working = (await cluster.working(deadline)).filter((ordinal) => ordinal < members)
        return isFine(working)
      },
      {
        what: `the members of etcd of "${name}"`,
        timeoutMs: Math.min(timeoutMs, SETTLE_MS),
        signal,
      },
    )
  } catch (error) {
    if (!(error instanceof VplaneError) || error.code !== 'TIMED_OUT') {
      throw error
    }
    const broken = Array.from({ length: members }, (_, ordinal) => ordinal)
      .filter((ordinal) => !working.includes(ordinal))
      .map((ordinal) => memberName(name, ordinal))
    throw new VplaneError('FAILED', `${broken.join(', ')} of "${name}" does not work: ${why}`, {
      hints: [{ action: 'repair', plane: place }],
      cause: error,
    })
  }
}
