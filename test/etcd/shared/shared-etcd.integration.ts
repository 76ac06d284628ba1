import { afterAll, beforeAll, expect, test } from 'vitest'
import { callEtcd } from '../../../src/etcd/call-etcd.ts'
import { putKeys } from '../../../src/etcd/data/put-keys.ts'
import { readAtOneRevision } from '../../../src/etcd/data/read-keys.ts'
import { rangeOverGrpc } from '../../../src/etcd/data/range-over-grpc.ts'
import { protobufFields, protobufMessage } from '../../../src/etcd/protobuf.ts'
import {
  compactEtcd,
  type CompactionState,
  NEVER_COMPACTED,
} from '../../../src/etcd/shared/compact-etcd.ts'
import { deleteKeys } from '../../../src/etcd/shared/delete-keys.ts'
import { deleteUser, ensureUser } from '../../../src/etcd/shared/etcd-users.ts'
import { prefixRange } from '../../../src/etcd/data/prefix-range.ts'
import { newSharedEtcd } from '../../../src/etcd/shared/shared-etcd.ts'
import { inOrder, logicalKeysOf } from '../../support/data/logical-keys.ts'
import { type TestEtcd, startEtcd } from '../../support/databases/start-etcd.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const NEVER = new AbortController().signal

let etcd: TestEtcd
let mine: { user: string; prefix: string }
let other: { user: string; prefix: string }

beforeAll(async () => {
  etcd = await startEtcd()
  mine = await planeNamed('mine')
  other = await planeNamed('other')
  await put(`${other.prefix}/secrets/a`, 'hush', 'root')
})
afterAll(() => etcd[Symbol.asyncDispose]())

test('lets the user of a plane write, read and delete its keys', async () => {
  const { user, prefix } = await planeNamed('writing')
  await put(`${prefix}/configmaps/a`, 'kept', user)
  const { from, to } = prefixRange(prefix)
  const connection = await etcd.as(user)

  const page = await rangeOverGrpc(connection, { from, to, limit: 10, signal: NEVER })

  expect(page.pairs.map(({ key, value }) => [key, value].join(' '))).toEqual([
    `${prefix}/configmaps/a kept`,
  ])
  await deleteKeys(connection, prefix, NEVER)
  expect(await etcd.keys(prefix)).toEqual([])
})

test('lets it read which revision was compacted', async () => {
  await compactEtcd(await etcd.as('root'), NEVER_COMPACTED, NEVER)

  const connection = await etcd.as(mine.user)
  const from = Buffer.from('compact_rev_key')

  expect((await rangeOverGrpc(connection, { from, limit: 1, signal: NEVER })).pairs).toHaveLength(1)
})

const text = (value: string) => Buffer.from(value)
const range = (from: string, to = '') =>
  protobufMessage([
    [1, text(from)],
    [2, text(to)],
  ])
const pair = (key: string) =>
  protobufMessage([
    [1, text(key)],
    [2, text('stolen')],
  ])
const inTxn = (field: number, request: Buffer) =>
  protobufMessage([[2, protobufMessage([[field, request]])]])
const secret = () => `${other.prefix}/secrets/a`

test.for<[string, string, () => Buffer]>([
  ['a key of another plane', 'KV/Range', () => range(secret())],
  ['all keys of another plane', 'KV/Range', () => range(`${other.prefix}/`, `${other.prefix}0`)],
  ['all keys', 'KV/Range', () => range('\0', '\0')],
  ['the keys before and behind its own', 'KV/Range', () => range('/vplane/', '/vplane0')],
  ['a key that begins like its own', 'KV/Range', () => range(`${mine.prefix}x/secrets/a`)],
  ['its own prefix as a key', 'KV/Range', () => range(mine.prefix)],
  [
    'how many keys another plane has',
    'KV/Range',
    () => Buffer.concat([range(`${other.prefix}/`, `${other.prefix}0`), protobufMessage([[9, 1]])]),
  ],
  ['a key by a transaction', 'KV/Txn', () => inTxn(1, range(secret()))],
  [
    'a key by a comparison',
    'KV/Txn',
    () =>
      protobufMessage([
        [
          1,
          protobufMessage([
            [2, 3],
            [3, text(secret())],
            [7, text('h')],
          ]),
        ],
      ]),
  ],
  ['writes to another plane', 'KV/Put', () => pair(secret())],
  ['writes by a transaction', 'KV/Txn', () => inTxn(2, pair(secret()))],
  ['deletions at another plane', 'KV/DeleteRange', () => range(secret())],
  ['the revision of compactions', 'KV/Put', () => pair('compact_rev_key')],
  ['its deletion', 'KV/DeleteRange', () => range('compact_rev_key')],
  ['compactions', 'KV/Compact', () => protobufMessage([[1, 1]])],
  ['the whole database', 'Maintenance/Snapshot', () => Buffer.alloc(0)],
  ['a hash of it', 'Maintenance/HashKV', () => Buffer.alloc(0)],
  ['defragmentation', 'Maintenance/Defragment', () => Buffer.alloc(0)],
  [
    'alarms',
    'Maintenance/Alarm',
    () =>
      protobufMessage([
        [1, 1],
        [3, 1],
      ]),
  ],
  ['another leader', 'Maintenance/MoveLeader', () => protobufMessage([[1, 1]])],
  ['new members', 'Cluster/MemberAdd', () => protobufMessage([[1, text('http://127.0.0.1:1')]])],
  ['the removal of members', 'Cluster/MemberRemove', () => protobufMessage([[1, 1]])],
  ['users', 'Auth/UserList', () => Buffer.alloc(0)],
  ['new users', 'Auth/UserAdd', () => protobufMessage([[1, text('thief')]])],
  ['the user of another', 'Auth/UserGet', () => protobufMessage([[1, text(other.user)]])],
  ['the role of another', 'Auth/RoleGet', () => protobufMessage([[1, text(other.user)]])],
  [
    'the role of root',
    'Auth/UserGrantRole',
    () =>
      protobufMessage([
        [1, text(mine.user)],
        [2, text('root')],
      ]),
  ],
  [
    'more permissions',
    'Auth/RoleGrantPermission',
    () =>
      protobufMessage([
        [1, text(mine.user)],
        [2, range('')],
      ]),
  ],
  ['an etcd without users', 'Auth/AuthDisable', () => Buffer.alloc(0)],
])('denies the user of a plane %s', async ([, path, body]) => {
  const error = await rejectionOf(etcd.ask(path, body(), mine.user))

  expect(error).toMatchObject({ code: 'FAILED' })
  expect(error.message).toContain('permission denied')
})

test('denies the user of a plane to watch another plane', async () => {
  const watch = async (prefix: string) => {
    const body = protobufMessage([[1, range(`${prefix}/`, `${prefix}0`)]])
    const request = { path: '/etcdserverpb.Watch/Watch', body, signal: AbortSignal.timeout(10_000) }
    for await (const message of callEtcd(await etcd.as(mine.user), request)) {
      const fields = protobufFields(message)
      return { isCancelled: fields?.numbers.get(4) === 1, why: String(fields?.bytes.get(6)) }
    }
    throw new Error('etcd has not answered')
  }

  expect(await watch(other.prefix)).toMatchObject({
    isCancelled: true,
    why: expect.stringContaining('permission denied'),
  })
  expect(await watch(mine.prefix)).toMatchObject({ isCancelled: false })
})

test('denies it to see and to end the life of a key of another plane', async () => {
  const id = 77
  await etcd.ask(
    'Lease/LeaseGrant',
    protobufMessage([
      [1, 600],
      [2, id],
    ]),
    other.user,
  )
  const leased = protobufMessage([
    [1, text(secret())],
    [2, text('hush')],
    [3, id],
  ])
  await etcd.ask('KV/Put', leased, other.user)
  const lease = protobufMessage([[1, id]])
  const withKeys = protobufMessage([
    [1, id],
    [2, 1],
  ])

  for (const [path, body] of [
    ['Lease/LeaseRevoke', lease],
    ['Lease/LeaseTimeToLive', withKeys],
    ['Lease/LeaseLeases', Buffer.alloc(0)],
  ] as const) {
    const error = await rejectionOf(etcd.ask(path, body, mine.user))
    expect(error.message).toContain('permission denied')
  }
})

// docs/shared-etcd.md names them.
test.for<[string, string]>([
  ['the status of the member', 'Maintenance/Status'],
  ['the members', 'Cluster/MemberList'],
  ['alarms', 'Maintenance/Alarm'],
])('lets every user read %s', async ([, path]) => {
  expect((await etcd.ask(path, Buffer.alloc(0), mine.user)).bytes.size).toBeGreaterThan(0)
})

test('has neither the user nor the role afterwards', async () => {
  const gone = await planeNamed('gone')
  const before = await etcd.names()

  await deleteUser(await etcd.as('root'), gone.user, NEVER)
  await deleteUser(await etcd.as('root'), gone.user, NEVER)

  expect(before.filter((name) => name === gone.user)).toHaveLength(2)
  expect((await etcd.names()).filter((name) => name === gone.user)).toEqual([])
  expect((await rejectionOf(put(`${gone.prefix}/a`, 'b', gone.user))).message).toContain(
    'permission denied',
  )
})

test('loses no write while users change', async () => {
  const root = await etcd.as('root')
  const over = new AbortController()
  const change = async () => {
    for (let index = 0; !over.signal.aborted; index += 1) {
      const user = { user: `passing-${index}`, prefix: `/passing-${index}` }
      await ensureUser(root, user, NEVER)
      await deleteUser(root, user.user, NEVER)
    }
  }
  const write = async (name: string) => {
    for (let index = 0; index < 50; index += 1) {
      await put(`${mine.prefix}/${name}/${index}`, 'written', mine.user)
    }
  }
  const changes = change()

  await Promise.all(['a', 'b', 'c'].map(write)).finally(() => over.abort())

  await changes
  expect((await etcd.keys(`${mine.prefix}/b/`)).length).toBe(50)
})

test('stores keys that expire beside leases of others, and reads the rest of their life', async () => {
  const { user, prefix } = await planeNamed('expiring')
  const ofOther = protobufMessage([
    [1, 600],
    [2, 1],
  ])
  await etcd.ask('Lease/LeaseGrant', ofOther, other.user)
  const connection = { ...(await etcd.as(user)), prefix }
  const keys = logicalKeysOf([
    [`${prefix}/configmaps/a`, 'stays'],
    [`${prefix}/events/a`, 'ends', 3600],
  ])

  await putKeys(connection, inOrder(keys), NEVER)

  const found = await readAtOneRevision(connection, NEVER, (_, all) => Array.fromAsync(all))
  expect(found.map(({ key, value }) => [key, value].join(' '))).toEqual([
    `${prefix}/configmaps/a stays`,
    `${prefix}/events/a ends`,
  ])
  expect(found.map(({ ttlSeconds }) => ttlSeconds)).toEqual([
    undefined,
    expect.toSatisfy((life) => life > 3000 && life <= 3600),
  ])
})

test('deletes many keys in several requests, and no others', async () => {
  const many = await planeNamed('many')
  for (let index = 0; index < 1100; index += 100) {
    const puts = Array.from({ length: 100 }, (_, one) =>
      protobufMessage([[2, pair(`${many.prefix}/x/${index + one}`)]]),
    )
    await etcd.ask('KV/Txn', protobufMessage(puts.map((one) => [2, one] as const)), many.user)
  }

  await deleteKeys(await etcd.as('root'), many.prefix, NEVER)

  expect(await etcd.keys(many.prefix)).toEqual([])
  expect(await etcd.keys(other.prefix)).toEqual([secret()])
})

test('compacts what was stored before the last turn, once for several compactors', async () => {
  const root = await etcd.as('root')
  const one = await compactEtcd(root, await settled(), NEVER)
  let two: CompactionState = await compactEtcd(root, NEVER_COMPACTED, NEVER)
  const { revision: old = 0 } = await rangeOverGrpc(root, {
    from: text(secret()),
    limit: 1,
    signal: NEVER,
  })
  await put(`${mine.prefix}/a`, '1', mine.user)
  two = await compactEtcd(root, two, NEVER)

  const first = await compactEtcd(root, one, NEVER)
  const second = await compactEtcd(root, two, NEVER)

  expect(first).toMatchObject({ hasCompacted: false })
  expect(second).toMatchObject({ hasCompacted: true })
  const asked = { from: text(secret()), limit: 1, revision: old - 1, signal: NEVER }
  expect((await rejectionOf(rangeOverGrpc(root, asked))).message).toContain('has been compacted')
  const key = { from: text('compact_rev_key'), limit: 1, signal: NEVER }
  const { pairs } = await rangeOverGrpc(root, key)
  expect(Number(pairs[0]?.value)).toBe(two.revision)
})

/** The state after all others. */
async function settled(): Promise<CompactionState> {
  return compactEtcd(await etcd.as('root'), NEVER_COMPACTED, NEVER)
}

async function planeNamed(name: string): Promise<{ user: string; prefix: string }> {
  const { prefix, user = '' } = newSharedEtcd(name, etcd.spec)
  const connection = await etcd.as('root')
  await ensureUser(connection, { prefix, user }, NEVER)
  // A second time, after an interruption.
  await ensureUser(connection, { prefix, user }, NEVER)
  return { prefix, user }
}

function put(key: string, value: string, user: string) {
  const body = protobufMessage([
    [1, text(key)],
    [2, text(value)],
  ])
  return etcd.ask('KV/Put', body, user)
}
