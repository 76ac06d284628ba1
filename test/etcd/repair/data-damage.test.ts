import { expect, test } from 'vitest'
import {
  damageIn,
  damageOfEnded,
  type MemberContainer,
} from '../../../src/etcd/repair/data-damage.ts'

// What etcd 3.6 wrote when this was done to it.
test.for([
  [
    'lost',
    '{"level":"fatal","msg":"discovery failed","error":"cannot fetch cluster info from peer urls: could not retrieve cluster information from the given URLs"}',
  ],
  [
    'lost',
    '{"level":"panic","msg":"tocommit(1204) is out of range [lastIndex(0)]. Was the raft log corrupted, truncated, or lost?"}',
  ],
  [
    'removed',
    '{"level":"warn","msg":"server error","error":"the member has been permanently removed from the cluster"}',
  ],
  [
    'removed',
    '{"level":"fatal","msg":"discovery failed","error":"error validating peerURLs: member count is unequal"}',
  ],
  [
    'corrupt',
    '{"level":"fatal","msg":"failed to read WAL, cannot be repaired","error":"wal: crc mismatch"}',
  ],
  ['corrupt', '{"level":"panic","msg":"failed to open database","error":"invalid database"}'],
  [
    'inconsistent',
    '{"level":"fatal","msg":"discovery failed","error":"8e9e05c52164694d found data inconsistency with peers"}',
  ],
  [
    undefined,
    '{"level":"fatal","msg":"discovery failed","error":"listen tcp: address already in use"}',
  ],
  ['corrupt', 'panic: freepages: failed to get all reachable pages'],
  [
    undefined,
    '{"level":"warn","msg":"apply request took too long","request":"key:\\"/registry/configmaps/default/freepages\\""}',
  ],
] as const)('finds %s in %s', ([damage, line]) => {
  expect(damageIn(['{"level":"info","msg":"starting"}', line])).toBe(damage)
})

const LOST = ['{"level":"fatal","error":"could not retrieve cluster information from peers"}']
const STARTS = ['{"level":"info","msg":"starting an etcd server"}']
const running = (restartCount: number): MemberContainer => ({
  restartCount,
  state: { running: {} },
})
const ended = (restartCount: number): MemberContainer => ({
  restartCount,
  state: { terminated: {} },
})

test('reads the log of a run that has exited', async () => {
  expect(await damageOf(ended(0), { last: LOST })).toBe('lost')
})

test('reads the log of the previous run while the current one reports nothing', async () => {
  expect(await damageOf(running(1), { last: STARTS, previous: LOST })).toBe('lost')
})

test('ignores the log of the previous run if the last one exited for another reason', async () => {
  expect(await damageOf(ended(1), { last: STARTS, previous: LOST })).toBeUndefined()
})

test('notices that it has restarted since then', async () => {
  const logs = { last: STARTS, previous: LOST }

  expect(await damageOf(ended(1), logs, running(2))).toBe('lost')
})

test('notices that it has become ready since then', async () => {
  const logs = { last: STARTS, previous: LOST }

  expect(await damageOf(ended(1), logs, { ...running(2), ready: true })).toBeUndefined()
})

test('reports no damage if it is gone since then', async () => {
  expect(await damageOf(ended(1), { last: STARTS, previous: LOST }, null)).toBeUndefined()
})

test('reads no log of one that is ready, or has never exited', async () => {
  expect(await damageOf({ ...running(1), ready: true }, { last: LOST })).toBeUndefined()
  expect(await damageOf(running(0), { last: LOST })).toBeUndefined()
})

/** @param now its container when it is read again; null if it is gone. @default unchanged */
function damageOf(
  container: MemberContainer,
  { last, previous = [] }: { last: string[]; previous?: string[] },
  now: MemberContainer | null = container,
) {
  return damageOfEnded(container, {
    readLog: async (run) => (run === 'last' ? last : previous),
    readAgain: async () => now ?? undefined,
  })
}
