import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ensurePrivateFolder, libraryRoot } from '../../../src/library/start/library-root.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vplane-root-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true })
})

test('is one folder for each user, below the temporary folder', () => {
  vi.stubEnv('TMPDIR', folder)

  const root = libraryRoot()

  expect(basename(root)).toBe(`vplane-${process.getuid?.()}`)
  expect(resolve(root, '..')).toBe(folder)
})

test('is the same folder wherever this process goes', () => {
  expect(libraryRoot(relative(process.cwd(), folder))).toBe(libraryRoot(folder))
})

test('is made for its owner alone, and stays as it is', async () => {
  const root = join(folder, 'root')

  await ensurePrivateFolder(root)
  writeFileSync(join(root, 'kept'), '')
  await ensurePrivateFolder(root)

  expect(statSync(root).mode & 0o777).toBe(0o700)
  expect(statSync(join(root, 'kept')).isFile()).toBe(true)
})

test('is made once when many ask at the same time', async () => {
  const root = join(folder, 'root')

  const asking = Promise.all(Array.from({ length: 20 }, () => ensurePrivateFolder(root)))

  await expect(asking).resolves.toHaveLength(20)
})

test.for([
  [
    'a link to another folder',
    'it is not a folder',
    (root: string) => {
      mkdirSync(`${root}-target`, { mode: 0o700 })
      symlinkSync(`${root}-target`, root)
    },
  ],
  ['a link to nowhere', 'it is not a folder', (root: string) => symlinkSync('/no/where', root)],
  ['a file', 'it is not a folder', (root: string) => writeFileSync(root, '')],
  [
    'a folder that others may look into',
    'other users may access it',
    (root: string) => {
      mkdirSync(root)
      chmodSync(root, 0o750)
    },
  ],
  [
    'a folder that others may write into',
    'other users may access it',
    (root: string) => {
      mkdirSync(root)
      chmodSync(root, 0o702)
    },
  ],
] as const)('refuses %s', async ([, reason, prepare]) => {
  const root = join(folder, 'root')
  prepare(root)

  await expect(ensurePrivateFolder(root)).rejects.toMatchObject({
    code: 'FAILED',
    message: `cannot store control planes in ${root}: ${reason}`,
    hints: [`ls -ld ${root}`, expect.stringContaining('TMPDIR')],
  })
})

test('refuses a folder of another user', async () => {
  const root = join(folder, 'root')
  mkdirSync(root, { mode: 0o700 })
  const owner = statSync(root).uid
  vi.spyOn(process, 'getuid').mockReturnValue(owner + 1)

  await expect(ensurePrivateFolder(root)).rejects.toThrow(/it belongs to another user/)
})

test('reports a temporary folder that is not writable', async () => {
  const root = join(folder, 'missing', 'root')

  await expect(ensurePrivateFolder(root)).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining(`cannot create ${root}`),
  })
})
