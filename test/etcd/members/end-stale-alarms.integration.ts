import { expect, test } from 'vitest'
import { changeMembership } from '../../../src/etcd/members/change-membership.ts'
import { endStaleAlarms } from '../../../src/etcd/members/end-stale-alarms.ts'
import { ANY_MEMBER, listAlarms } from '../../../src/etcd/status/alarms.ts'
import { etcdProcesses } from '../etcd-processes.ts'

test('etcd serves again once the alarm of a corrupt member that was removed is disarmed', async () => {
  const signal = AbortSignal.timeout(120_000)
  await using etcd = await etcdProcesses()
  const ordinals = [0, 1, 2]
  await Promise.all(ordinals.map((ordinal) => etcd.start(ordinal, ordinals, 'new')))
  await expect.poll(() => etcd.put('before')).toBe(true)
  const { members } = await etcd.cluster.probe(signal)
  const id = members?.find(({ ordinal }) => ordinal === 2)?.id ?? ''
  await etcd.ask(0, '/v3/maintenance/alarm', { action: 'ACTIVATE', memberID: id, alarm: 'CORRUPT' })
  await expect.poll(() => etcd.put('corrupt')).toBe(false)

  await endStaleAlarms(etcd.cluster, signal)
  const whileMember = await etcd.put('a member')
  await expect
    .poll(() =>
      changeMembership(etcd.cluster, { kind: 'remove-member', ordinal: 2, id }, signal).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
  const whenRemoved = await etcd.put('removed')
  await endStaleAlarms(etcd.cluster, signal)

  expect([whileMember, whenRemoved]).toEqual([false, false])
  await expect.poll(() => etcd.put('after')).toBe(true)

  // etcd raises it so when no majority has the same data.
  await etcd.ask(0, '/v3/maintenance/alarm', { action: 'ACTIVATE', alarm: 'CORRUPT' })
  await endStaleAlarms(etcd.cluster, signal)

  expect(await listAlarms(await etcd.cluster.speaker(signal), signal)).toEqual([
    { memberId: ANY_MEMBER, kind: 'CORRUPT' },
  ])
  expect(await etcd.put('undecided')).toBe(false)
})
