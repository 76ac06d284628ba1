import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { logicalHeader, logicalKeys } from '../../../src/backup/logical/read-logical.ts'
import { verifiedSnapshot } from '../../../src/backup/verify-snapshot.ts'
import { etcdSnapshot } from '../../support/data/etcd-snapshot.ts'
import { inPieces } from '../../support/data/in-pieces.ts'
import { LOGICAL_HEADER, logicalBytes, logicalKeysOf } from '../../support/data/logical-keys.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const KEYS = logicalKeysOf([
  ['/registry/configmaps/default/a', 'one'],
  ['/registry/configmaps/default/b', ''],
  ['/registry/events/default/c', 'x'.repeat(5000), 3600],
])
const SNAPSHOT = await logicalBytes(KEYS)
const HEADER_BYTES = SNAPSHOT.indexOf('}\n') + 2

test('is what the documentation describes', () => {
  const text = SNAPSHOT.subarray(0, HEADER_BYTES).toString()
  const [magic, header] = text.split('\n')
  const first = SNAPSHOT.subarray(HEADER_BYTES)
  const numbers = [0, 4, 8].map((at) => first.readUInt32BE(at))

  expect(magic).toBe('vplane logical snapshot')
  expect(JSON.parse(header ?? '')).toEqual({
    formatVersion: 1,
    writtenBy: expect.any(String),
    ...LOGICAL_HEADER,
  })
  expect(numbers).toEqual([30, 3, 0])
  expect(first.subarray(12, 45).toString()).toBe('/registry/configmaps/default/aone')
  expect(SNAPSHOT.subarray(-52, -40).equals(Buffer.alloc(12))).toBe(true)
  expect(SNAPSHOT.readBigUInt64BE(SNAPSHOT.length - 40)).toBe(3n)
  expect(createHash('sha256').update(SNAPSHOT.subarray(0, -32)).digest('hex')).toBe(
    SNAPSHOT.subarray(-32).toString('hex'),
  )
})

test('gives back what was written, in pieces of any size', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'snapshot')
  const key = fc.uint8Array({ minLength: 1, maxLength: 40 })
  const life = fc.option(fc.integer({ min: 1, max: 86_400 }), { nil: undefined })
  const some = fc.array(fc.tuple(key, fc.uint8Array({ maxLength: 300 }), life))
  await fc.assert(
    fc.asyncProperty(some, fc.integer({ min: 1, max: 200 }), async (pairs, size) => {
      const keys = pairs
        .map(([one, value, ttlSeconds]) => ({
          key: Buffer.from(one),
          value: Buffer.from(value),
          ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
        }))
        .toSorted((one, other) => one.key.compare(other.key))
        .filter(({ key: own }, at, all) => at === 0 || !own.equals(all[at - 1]?.key ?? own))
      const bytes = await logicalBytes(keys)
      const passed = await Array.fromAsync(verifiedSnapshot(inPieces(bytes, size), 'dev'))
      await writeFile(file, Buffer.concat(passed))

      expect(Buffer.concat(passed).equals(bytes)).toBe(true)
      expect(await Array.fromAsync(logicalKeys(file))).toEqual(keys)
      expect(await logicalHeader(file)).toEqual(LOGICAL_HEADER)
    }),
    { numRuns: 50 },
  )
})

test('differs from a snapshot of etcd, and from an empty file', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'snapshot')

  await writeFile(file, etcdSnapshot('pages'))
  expect(await logicalHeader(file)).toBeUndefined()
  await writeFile(file, '')
  expect(await logicalHeader(file)).toBeUndefined()
})

test('is incomplete wherever its end is missing', async () => {
  const short = await logicalBytes(KEYS.slice(0, 2))
  for (let length = HEADER_BYTES; length < short.length; length += 1) {
    const passed = verifiedSnapshot(inPieces(short.subarray(0, length), 1000), 'dev')

    expect(await rejectionOf(Array.fromAsync(passed))).toMatchObject({
      code: 'FAILED',
      message: 'dev is not a complete logical snapshot: its end is missing',
    })
  }
})

test('is damaged if any bit is another', async () => {
  const short = await logicalBytes(KEYS.slice(0, 2))
  for (let at = HEADER_BYTES; at < short.length; at += 1) {
    const copy = Buffer.from(short)
    copy[at] = (copy[at] ?? 0) ^ (1 << (at % 8))

    const passed = verifiedSnapshot(inPieces(copy, 1000), 'dev')

    expect(await rejectionOf(Array.fromAsync(passed))).toMatchObject({ code: 'FAILED' })
  }
})

test.for([
  ['has a huge key', Buffer.from('ffffffff0000000000000000', 'hex'), 'is damaged: a key of'],
  ['has a huge value', Buffer.from('00000001ffffffff00000000', 'hex'), 'is damaged: a key of'],
] as const)('takes no memory for a file that says it %s', async ([, record, why]) => {
  const hostile = Buffer.concat([SNAPSHOT.subarray(0, HEADER_BYTES), record])
  const passed = verifiedSnapshot(inPieces(hostile, 1000), 'dev')

  expect((await rejectionOf(Array.fromAsync(passed))).message).toContain(why)
})

test.for([
  [
    'keys that do not ascend',
    logicalKeysOf([
      ['b', ''],
      ['a', ''],
    ]),
  ],
  [
    'a key twice',
    logicalKeysOf([
      ['a', '1'],
      ['a', '2'],
    ]),
  ],
] as const)('refuses %s', async ([, keys]) => {
  const passed = verifiedSnapshot(inPieces(await logicalBytes(keys), 1000), 'dev')

  expect((await rejectionOf(Array.fromAsync(passed))).message).toBe(
    'dev is damaged: its keys do not ascend',
  )
})

test('refuses what follows its end', async () => {
  const more = Buffer.concat([SNAPSHOT, Buffer.from('x')])

  const error = await rejectionOf(Array.fromAsync(verifiedSnapshot(inPieces(more, 1000), 'dev')))

  expect(error.message).toBe('dev is damaged: more follows its end')
})

test.for([
  ['no header', 'nothing\n', 'is damaged'],
  ['no end of its header', 'x'.repeat(70_000), 'is damaged'],
  ['no revision', '{"kubernetesVersion":"1.36.3","store":"etcd"}\n', 'is damaged'],
  ['a wrong revision', '{"kubernetesVersion":"1","store":"etcd","revision":-1}\n', 'is damaged'],
  [
    'a revision of no plane',
    `{"kubernetesVersion":"1","store":"etcd","revision":${2 ** 52 + 1}}\n`,
    'is damaged',
  ],
  ['a newer format', '{"formatVersion":2,"writtenBy":"9.0.0"}\n', 'vplane 9.0.0 or later'],
] as const)('refuses a file with %s', async ([, header, why]) => {
  const bytes = Buffer.from(`vplane logical snapshot\n${header}`)

  const error = await rejectionOf(Array.fromAsync(verifiedSnapshot(inPieces(bytes, 1000), 'dev')))

  expect(error.message).toContain(why)
})
