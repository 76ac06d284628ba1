import { expect, test } from 'vitest'
import { changeMembership } from '../../../src/etcd/members/change-membership.ts'
import { judgeAlarms } from '../../../src/etcd/members/judge-alarms.ts'
import { ANY_MEMBER } from '../../../src/etcd/status/alarms.ts'
import { type EtcdProcesses, etcdProcesses } from '../etcd-processes.ts'

const ALL = [0, 1, 2]

test('etcd finds a member with other data at a compaction, and serves again once that was removed', async () => {
  await using etcd = await corruptibleEtcd()
  const { cluster } = etcd
  const id = await etcd.idOf(2)
  await etcd.corrupt(2)

  await etcd.compact()
  await expect
    .poll(() => etcd.alarms(), { interval: 500 })
    .toEqual([{ kind: 'CORRUPT', memberId: id }])

  expect(await etcd.put('corrupt')).toBe(false)
  expect(await etcd.judge()).toEqual({ corrupt: [2], isUndecided: false, full: [], stale: [] })

  await etcd.removeMember(2, id)
  const { corrupt, stale } = await etcd.judge()
  const whenRemoved = await etcd.put('removed')
  await changeMembership(cluster, { kind: 'disarm', alarms: stale }, etcd.signal)

  expect({ corrupt, stale, whenRemoved }).toEqual({
    corrupt: [],
    stale: [{ kind: 'CORRUPT', memberId: id }],
    whenRemoved: false,
  })
  await expect.poll(() => etcd.put('after')).toBe(true)
})

test('the alarm of a removed member is stale, although no write is possible', async () => {
  // A new member gets a snapshot instead of the log, and with it no hash of a compaction. Members that start again do not:
  // with a shorter log, members that start one after the other may not become a cluster for minutes.
  await using etcd = await corruptibleEtcd({
    'snapshot-count': '20',
    'snapshot-catchup-entries': '10',
  })
  const { cluster, signal } = etcd
  for (let count = 0; count < 50; count += 1) {
    await expect.poll(() => etcd.put('another')).toBe(true)
  }
  const id = await etcd.idOf(2)
  await etcd.corrupt(2)
  // At the latest revision: of it, the members remember a hash that a new one cannot have.
  await etcd.compact()
  await expect.poll(() => etcd.alarms(), { interval: 500 }).toHaveLength(1)

  await etcd.removeMember(2, id)
  await etcd.stop(2)
  etcd.wipe(2)
  const added = async () => {
    await changeMembership(cluster, { kind: 'add-member', ordinal: 2 }, signal).catch(() => {})
    return etcd.idOf(2)
  }
  await expect.poll(added).not.toBe('')
  const successor = { kind: 'promote-member', ordinal: 2, id: await etcd.idOf(2) } as const
  const promoted = async () => {
    // One that starts before all others know it ends.
    if (!etcd.isRunning(2)) {
      await etcd.start(2, ALL)
    }
    return changeMembership(cluster, successor, signal).then(() => 'promoted', String)
  }
  await expect.poll(promoted).toBe('promoted')
  await etcd.untilAllWork()
  const { corrupt, isUndecided, stale } = await etcd.judge()
  await changeMembership(cluster, { kind: 'disarm', alarms: stale }, signal)

  expect({ corrupt, isUndecided, stale }).toEqual({
    corrupt: [],
    isUndecided: false,
    stale: [{ kind: 'CORRUPT', memberId: id }],
  })
  await expect.poll(() => etcd.put('after')).toBe(true)
})

test('an alarm that blames the wrong member says nothing, and without a majority of the same data nobody is blamed', async () => {
  await using etcd = await corruptibleEtcd()
  const sound = await etcd.idOf(0)
  await etcd.raise(sound)
  const whileSame = await etcd.judge()
  await etcd.corrupt(2)
  const whenOneDiffers = await etcd.judge()
  await etcd.corrupt(1, 'third')
  const whenAllDiffer = await etcd.judge()

  const alarm = { kind: 'CORRUPT', memberId: sound }
  expect(whileSame).toMatchObject({ corrupt: [], isUndecided: false, stale: [alarm] })
  expect(whenOneDiffers).toMatchObject({ corrupt: [2], isUndecided: false, stale: [] })
  expect(whenAllDiffer).toMatchObject({ corrupt: [], isUndecided: true, stale: [] })
})

test('etcd names no member while one of two is corrupt and the third does not run; then the comparison does', async () => {
  await using etcd = await corruptibleEtcd()
  await etcd.stop(1)
  await etcd.corrupt(2)
  await etcd.compact()
  await expect
    .poll(() => etcd.alarms(), { interval: 500 })
    .toEqual([{ kind: 'CORRUPT', memberId: ANY_MEMBER }])
  const whileAway = await etcd.judge()
  await etcd.start(1, ALL)
  await etcd.untilAllWork()

  expect(whileAway).toMatchObject({ corrupt: [], isUndecided: true, stale: [] })
  expect(await etcd.judge()).toMatchObject({ corrupt: [2], isUndecided: false, stale: [] })
})

/** Three members that compare their data a second after each compaction, with one key. */
async function corruptibleEtcd(more: Record<string, string> = {}) {
  const signal = AbortSignal.timeout(180_000)
  await using stack = new AsyncDisposableStack()
  const settings = {
    'feature-gates': 'CompactHashCheck=true',
    'compact-hash-check-time': '1s',
    ...more,
  }
  const etcd: EtcdProcesses = stack.use(await etcdProcesses({ settings }))
  await Promise.all(ALL.map((ordinal) => etcd.start(ordinal, ALL, 'new')))
  await expect.poll(() => etcd.put('key', 'sound')).toBe(true)
  const { cluster } = etcd
  const probe = () => cluster.probe(signal)
  const untilAllWork = async () => {
    await expect
      .poll(async () => (await probe()).statuses.map((status) => status?.leader !== undefined))
      .toEqual(ALL.map(() => true))
  }
  await untilAllWork()
  // What is only in its log, a member stores again when it starts.
  await expect.poll(() => ALL.every((ordinal) => etcd.stores(ordinal, 'sound'))).toBe(true)
  const owned = stack.move()
  return {
    ...etcd,
    signal,
    untilAllWork,
    alarms: async () => (await probe()).alarms,
    idOf: async (ordinal: number) =>
      (await probe()).members?.find((member) => member.ordinal === ordinal)?.id ?? '',
    judge: async () => judgeAlarms(cluster, await probe(), { signal }),
    raise: async (memberID: string) => {
      await etcd.ask(0, '/v3/maintenance/alarm', { action: 'ACTIVATE', memberID, alarm: 'CORRUPT' })
    },
    compact: async () => {
      const [status] = (await probe()).statuses
      await etcd.ask(0, '/v3/kv/compaction', { revision: String(status?.revision) })
    },
    /** Changes a value on the disk of a member while it does not run. */
    corrupt: async (ordinal: number, value = 'other') => {
      await etcd.stop(ordinal)
      etcd.overwrite(ordinal, 'sound', value)
      await etcd.start(ordinal, ALL)
      await expect.poll(async () => (await probe()).statuses[ordinal]?.leader).toBeDefined()
    },
    /** etcd refuses it until it has connected to the others, and may remove a member although its answer is an error. */
    removeMember: async (ordinal: number, id: string) => {
      const removed = async () => {
        const step = { kind: 'remove-member', ordinal, id } as const
        const error = await changeMembership(cluster, step, signal).catch(String)
        const { members } = await probe()
        const isMember = members === undefined || members.some((member) => member.id === id)
        return isMember ? error : 'removed'
      }
      await expect.poll(removed).toBe('removed')
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
