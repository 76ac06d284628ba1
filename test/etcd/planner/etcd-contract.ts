import { expect, test } from 'vitest'
import type { ListedMember, MembershipStep } from '../../../src/etcd/planner/observed-etcd.ts'
import { waitFor } from '../../../src/shared/wait.ts'

/** Three members that were started together. */
export interface EtcdUnderTest extends AsyncDisposable {
  /** etcd's own list; undefined while no majority works. */
  list(): Promise<readonly ListedMember[] | undefined>
  /** The ordinal of the leader, if a majority works. */
  leader(): Promise<number | undefined>
  /** Whether etcd takes a change of its list. */
  change(step: MembershipStep): Promise<boolean>
  /** Ends the process of a member; its data stays. */
  stop(ordinal: number): Promise<void>
  /** Starts the process of a member. */
  start(ordinal: number): Promise<void>
  /** Starts a member that does not run without data, as one of the members with these ordinals. */
  startEmpty(ordinal: number, peers: readonly number[]): Promise<void>
  /** Whether the process of a member has ended by itself, or cannot join. */
  hasFailed(ordinal: number): Promise<boolean>
  raiseAlarm(ordinal: number): Promise<void>
  clearAlarm(ordinal: number): Promise<void>
  alarms(): Promise<string[]>
}

/** What the planner takes for granted about etcd. */
export function etcdContract(open: () => Promise<EtcdUnderTest>, timeout = 60_000): void {
  const poll = { timeout }

  test('members that start together are voters with ids of their own, and one of them leads', async () => {
    await using etcd = await open()

    const found = await listed(etcd)

    expect(found.map(({ isLearner, ordinal }) => [ordinal, isLearner])).toEqual([
      [0, false],
      [1, false],
      [2, false],
    ])
    expect(new Set(found.map(({ id }) => id)).size).toBe(3)
    await expect.poll(() => etcd.leader(), poll).toBeOneOf([0, 1, 2])
  })

  test('two of three members are a majority, and one is none', async () => {
    await using etcd = await open()
    await listed(etcd)

    await etcd.stop(0)
    await expect.poll(() => etcd.list(), poll).toHaveLength(3)
    await etcd.stop(1)
    await expect.poll(() => etcd.list(), poll).toBeUndefined()

    await etcd.start(0)
    await expect.poll(() => etcd.list(), poll).toHaveLength(3)
  })

  test('leadership moves to the member that is asked for', async () => {
    await using etcd = await open()
    const members = await listed(etcd)
    const from = (await etcd.leader()) ?? 0
    const to = (from + 1) % 3

    await etcd.change({ kind: 'move-leader', from, id: idAt(members, to) })

    await expect.poll(() => etcd.leader(), poll).toBe(to)
  })

  test('no member is added while one does not work, and two voters are no majority of three', async () => {
    await using etcd = await open()
    const [gone] = await listed(etcd)
    await etcd.stop(2)
    await expect.poll(() => etcd.list(), poll).toHaveLength(3)
    expect(await etcd.change({ kind: 'add-member', ordinal: 2 })).toBe(false)

    await untilListed(etcd, remove(await listed(etcd), 2), [0, 1])
    await etcd.stop(1)

    // The removed member has no vote any more.
    await etcd.start(2)
    await expect.poll(() => etcd.list(), poll).toBeUndefined()
    await etcd.start(1)
    expect((await listed(etcd))[0]?.id).toBe(gone?.id)
  })

  test('a removed member does not come back with its data', async () => {
    await using etcd = await open()
    const before = await listed(etcd)
    await etcd.stop(2)

    await untilListed(etcd, remove(before, 2), [0, 1])
    await etcd.start(2)

    await expect.poll(() => etcd.hasFailed(2), poll).toBe(true)
    expect(await ordinalsOf(etcd)).toEqual([0, 1])
  })

  test('a new member learns, gets another id, and has a vote once it has started and is promoted', async () => {
    await using etcd = await open()
    const before = await listed(etcd)
    await etcd.stop(2)
    await untilListed(etcd, remove(before, 2), [0, 1])

    await untilListed(etcd, { kind: 'add-member', ordinal: 2 }, [0, 1, 2])
    const [, , added] = await listed(etcd)
    expect(added).toMatchObject({ ordinal: 2, isLearner: true, hasStarted: false })
    expect(added?.id).not.toBe(idAt(before, 2))
    // etcd has one learner at a time.
    expect(await etcd.change({ kind: 'add-member', ordinal: 1 })).toBe(false)
    const promotion = { kind: 'promote-member', ordinal: 2, id: added?.id ?? '' } as const
    expect(await etcd.change(promotion)).toBe(false)

    await untilStarted(etcd, 2, [0, 1, 2])
    const isLearner = async () => {
      await etcd.change(promotion)
      return (await listed(etcd))[2]?.isLearner
    }
    await expect.poll(isLearner, poll).toBe(false)
    await etcd.stop(0)
    await expect.poll(() => etcd.list(), poll).toHaveLength(3)
  })

  test('a learner counts for no majority', async () => {
    await using etcd = await open()
    const before = await listed(etcd)
    await etcd.stop(2)
    await untilListed(etcd, remove(before, 2), [0, 1])
    await untilListed(etcd, { kind: 'add-member', ordinal: 2 }, [0, 1, 2])
    await untilStarted(etcd, 2, [0, 1, 2])

    await etcd.stop(1)

    await expect.poll(() => etcd.list(), poll).toBeUndefined()
  })

  test('a member without data does not join when it was told of other members than etcd has', async () => {
    await using etcd = await open()
    const before = await listed(etcd)
    await etcd.stop(2)
    await untilListed(etcd, remove(before, 2), [0, 1])
    await untilListed(etcd, { kind: 'add-member', ordinal: 2 }, [0, 1, 2])

    await etcd.startEmpty(2, [2])

    await expect.poll(() => etcd.hasFailed(2), poll).toBe(true)
    expect(await listed(etcd)).toMatchObject([{}, {}, { hasStarted: false }])
  })

  test('an alarm stays until it is cleared', async () => {
    await using etcd = await open()
    await listed(etcd)

    await etcd.raiseAlarm(1)
    await expect.poll(() => etcd.alarms(), poll).toEqual(['NOSPACE'])
    await etcd.stop(1)
    await etcd.start(1)
    await expect.poll(() => etcd.alarms(), poll).toEqual(['NOSPACE'])

    await etcd.clearAlarm(1)
    await expect.poll(() => etcd.alarms(), poll).toEqual([])
  })

  async function listed(etcd: EtcdUnderTest) {
    const found = await waitFor(() => etcd.list(), { what: 'the members', timeoutMs: poll.timeout })
    return found
      .map(({ ordinal = -1, ...member }) => ({ ...member, ordinal }))
      .toSorted((one, other) => one.ordinal - other.ordinal)
  }

  /** etcd may have done a change whose answer was late, and refuses it then. */
  async function untilListed(etcd: EtcdUnderTest, step: MembershipStep, ordinals: number[]) {
    const attempt = async () => {
      if (String(await ordinalsOf(etcd)) !== String(ordinals)) {
        await etcd.change(step)
      }
      return ordinalsOf(etcd)
    }
    await expect.poll(attempt, poll).toEqual(ordinals)
  }

  /** A new member ends when the one that it asks does not know of it yet; a host starts it again. */
  async function untilStarted(etcd: EtcdUnderTest, ordinal: number, peers: number[]) {
    await etcd.startEmpty(ordinal, peers)
    const attempt = async () => {
      if (await etcd.hasFailed(ordinal)) {
        await etcd.startEmpty(ordinal, peers)
      }
      return (await listed(etcd))[ordinal]?.hasStarted
    }
    await expect.poll(attempt, poll).toBe(true)
  }

  async function ordinalsOf(etcd: EtcdUnderTest): Promise<number[]> {
    return (await listed(etcd)).map(({ ordinal }) => ordinal)
  }
}

type Members = ReadonlyArray<{ id: string; ordinal: number }>

function idAt(members: Members, ordinal: number): string {
  return members.find((member) => member.ordinal === ordinal)?.id ?? ''
}

function remove(members: Members, ordinal: number): MembershipStep {
  return { kind: 'remove-member', ordinal, id: idAt(members, ordinal) }
}
