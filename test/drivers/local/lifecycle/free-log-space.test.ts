import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, test } from 'vitest'
import { freeLogSpace } from '../../../../src/drivers/local/lifecycle/free-log-space.ts'
import { temporaryFolder } from '../../../support/machine/temporary-folder.ts'

const LOG = '0000000000000000-0000000000000000.wal'
const MIB = 1024 * 1024
const BLOCK_BYTES = 512

let folder: string

beforeEach(async () => {
  const temporary = await temporaryFolder()
  folder = temporary.path
  return () => temporary[Symbol.asyncDispose]()
})

/** Writes a file of data and zeros, all of which takes space. */
function write(name: string, dataBytes: number, zeroBytes: number): string {
  const path = join(folder, name)
  writeFileSync(path, Buffer.concat([Buffer.alloc(dataBytes, 'data'), Buffer.alloc(zeroBytes)]), {
    mode: 0o600,
  })
  return path
}

function seen(path: string) {
  const { ino, mode, size } = statSync(path)
  return { ino, mode, size, hash: createHash('sha256').update(readFileSync(path)).digest('hex') }
}

function spaceOf(path: string): number {
  return statSync(path).blocks * BLOCK_BYTES
}

test.for([
  ['some data', 100, 8 * MIB],
  ['an end of data inside a chunk', 3 * MIB + 5, 4 * MIB + 123],
  ['an end of data between two chunks', 2 * MIB, 6 * MIB],
  ['zeros alone', 0, 8 * MIB],
] as const)('frees the zeros at the end of a log with %s', async ([, dataBytes, zeroBytes]) => {
  const path = write(LOG, dataBytes, zeroBytes)
  chmodSync(path, 0o640)
  const { ino, ...before } = seen(path)

  await freeLogSpace(folder)

  expect(seen(path)).toMatchObject(before)
  expect(spaceOf(path)).toBeLessThan(dataBytes + 64 * 1024)
  expect(readdirSync(folder)).toEqual([LOG])
  expect(statSync(path).ino).not.toBe(ino)
})

test.for([
  ['without zeros at its end', 2 * MIB, 0],
  ['with few zeros at its end', 2 * MIB, 100_000],
  ['that is empty', 0, 0],
  ['that is short', 1000, 100_000],
] as const)('does not touch a log %s', async ([, dataBytes, zeroBytes]) => {
  const path = write(LOG, dataBytes, zeroBytes)
  const before = seen(path)

  await freeLogSpace(folder)

  expect(seen(path)).toEqual(before)
})

test('copies nothing twice, and every file of the log once', async () => {
  const paths = [write(LOG, 2 * MIB, 0), write(LOG.replace('0000.', '0009.'), MIB, 4 * MIB)]
  await freeLogSpace(folder)
  const before = paths.map(seen)

  await freeLogSpace(folder)

  expect(paths.map(seen)).toEqual(before)
})

test('deletes what is no part of the log: files of etcd for later, and copies of an interrupted pause', async () => {
  const path = write(LOG, 100, MIB)
  write('0.tmp', 0, MIB)
  write('1.tmp', 100, MIB)
  write(`${LOG}.tmp`, 50, 0)
  const { ino: _ino, ...before } = seen(path)

  await freeLogSpace(folder)

  expect(readdirSync(folder)).toEqual([LOG])
  expect(seen(path)).toMatchObject(before)
})

test('changes nothing while another program has a file of the log locked', async () => {
  const path = write(LOG, 100, MIB)
  const next = write('0.tmp', 0, 0)
  using etcd = new DatabaseSync(next)
  etcd.exec('BEGIN EXCLUSIVE')
  const before = [path, next].map(seen)

  await expect(freeLogSpace(folder)).rejects.toMatchObject({
    code: 'FAILED',
    message: `another program uses "${next}"`,
  })

  expect([path, next].map(seen)).toEqual(before)
})

test('leaves everything that is no file, and accepts a plane without a log', async () => {
  mkdirSync(join(folder, 'folder.tmp'))
  symlinkSync('nowhere', join(folder, 'link.tmp'))

  await freeLogSpace(folder)
  await freeLogSpace(join(folder, 'missing'))

  expect(readdirSync(folder)).toEqual(['folder.tmp', 'link.tmp'])
})

test('leaves the log as it is when it cannot be copied', async () => {
  const path = write(LOG, 100, MIB)
  const before = seen(path)
  // No copy can be created beside it.
  symlinkSync('nowhere', `${path}.tmp`)

  await expect(freeLogSpace(folder)).rejects.toThrow('EEXIST')

  expect(seen(path)).toEqual(before)
})
