import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { planeFolder } from '../../../src/drivers/local/store/plane-folder.ts'
import { rangeOverGrpc } from '../../../src/etcd/data/range-over-grpc.ts'
import { protobufMessage } from '../../../src/etcd/protobuf.ts'
import { formatSharedEtcd, newSharedEtcd } from '../../../src/etcd/shared/shared-etcd.ts'
import { sharedEtcdCompaction } from '../../../src/keeper/local/shared-etcd-compaction.ts'
import { startEtcd } from '../../support/databases/start-etcd.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const NEVER = new AbortController().signal
const MINUTE_MS = 60_000

test('compacts a shared etcd every five minutes, once for all planes of it', async () => {
  await using etcd = await startEtcd()
  await using home = await temporaryFolder()
  const clock = { now: 0 }
  const [one, two] = ['one', 'two'].map((name) => {
    const folder = planeFolder(`${home.path}/${name}`)
    mkdirSync(dirname(folder.sharedEtcd.facts), { recursive: true })
    writeFileSync(folder.sharedEtcd.facts, formatSharedEtcd(newSharedEtcd(name, etcd.spec)))
    return sharedEtcdCompaction(folder, () => new Date(clock.now))
  })
  const turn = async () => {
    const first = await one?.reconcile(NEVER)
    const second = await two?.reconcile(NEVER)
    return [first, second].map((due) => Number(due) / MINUTE_MS)
  }

  const due = await turn()
  const before = await put()
  clock.now += MINUTE_MS
  const early = await turn()
  const unchanged = await compacted()
  clock.now += 4 * MINUTE_MS
  await turn()
  const after = await put()
  clock.now += 5 * MINUTE_MS
  await turn()

  expect([due, early]).toEqual([
    [5, 5],
    [5, 5],
  ])
  expect(unchanged).toBe('0')
  expect(Number(await compacted())).toBeGreaterThanOrEqual(before)
  expect(Number(await compacted())).toBeLessThan(after)
  expect((await rejectionOf(read(before - 1))).message).toContain('has been compacted')
  expect((await read(after)).pairs).toHaveLength(1)

  async function put(): Promise<number> {
    const body = protobufMessage([
      [1, Buffer.from('/some')],
      [2, Buffer.from('value')],
    ])
    await etcd.ask('KV/Put', body)
    return (await read(0)).revision ?? 0
  }

  async function read(revision: number) {
    const request = { from: Buffer.from('/some'), limit: 1, revision, signal: NEVER }
    return rangeOverGrpc(await etcd.as('root'), request)
  }

  async function compacted(): Promise<string> {
    const request = { from: Buffer.from('compact_rev_key'), limit: 1, signal: NEVER }
    const { pairs } = await rangeOverGrpc(await etcd.as('root'), request)
    return String(pairs[0]?.value)
  }
})
