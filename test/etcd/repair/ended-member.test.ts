import { expect, test } from 'vitest'
import { damageOfEnded, type MemberContainer } from '../../../src/etcd/repair/ended-member.ts'

const LOST = ['{"level":"fatal","error":"could not retrieve cluster information from peers"}']
const BEGINS = ['{"level":"info","msg":"starting an etcd server"}']
const running = (restartCount: number): MemberContainer => ({
  restartCount,
  state: { running: {} },
})
const ended = (restartCount: number): MemberContainer => ({
  restartCount,
  state: { terminated: {} },
})

test('reads what the run said that has ended', async () => {
  expect(await damageOf(ended(0), { last: LOST })).toBe('lost')
})

test('reads what the run before said while the one that goes on has said nothing', async () => {
  expect(await damageOf(running(1), { last: BEGINS, previous: LOST })).toBe('lost')
})

test('does not believe what the run before said of one that ended for another reason', async () => {
  expect(await damageOf(ended(1), { last: BEGINS, previous: LOST })).toBeUndefined()
})

test('sees that it has begun again since it was looked at', async () => {
  const logs = { last: BEGINS, previous: LOST }

  expect(await damageOf(ended(1), logs, running(2))).toBe('lost')
})

test('sees that it has become ready since it was looked at', async () => {
  const logs = { last: BEGINS, previous: LOST }

  expect(await damageOf(ended(1), logs, { ...running(2), ready: true })).toBeUndefined()
})

test('says nothing of one that has gone since it was looked at', async () => {
  expect(await damageOf(ended(1), { last: BEGINS, previous: LOST }, null)).toBeUndefined()
})

test('reads nothing of one that is ready, or has never ended', async () => {
  expect(await damageOf({ ...running(1), ready: true }, { last: LOST })).toBeUndefined()
  expect(await damageOf(running(0), { last: LOST })).toBeUndefined()
})

/** @param now its container when it is looked at again; null when there is none. @default as it was */
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
