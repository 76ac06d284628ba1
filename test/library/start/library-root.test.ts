import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { ensurePrivateFolder, libraryRoot } from '../../../src/library/start/library-root.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'

let folder: string
let root: string

beforeEach(async () => {
  const temporary = await temporaryFolder()
  folder = temporary.path
  root = join(folder, 'root')
  return () => temporary[Symbol.asyncDispose]()
})

test('is one folder for each user, below the temporary folder', () => {
  vi.stubEnv('TMPDIR', folder)

  const own = libraryRoot()

  expect(basename(own)).toBe(`vplane-${process.getuid?.()}`)
  expect(resolve(own, '..')).toBe(folder)
})

test('is the same folder wherever this process goes', () => {
  expect(libraryRoot(relative(process.cwd(), folder))).toBe(libraryRoot(folder))
})

test('is made for its owner alone, and stays as it is', async () => {
  await ensurePrivateFolder(root)
  writeFileSync(join(root, 'kept'), '')
  await ensurePrivateFolder(root)

  expect(statSync(root).mode & 0o777).toBe(0o700)
  expect(statSync(join(root, 'kept')).isFile()).toBe(true)
})

test('is made once when many ask at the same time', async () => {
  const asking = Promise.all(Array.from({ length: 20 }, () => ensurePrivateFolder(root)))

  await expect(asking).resolves.toHaveLength(20)
})

function folderOfMode(mode: number): void {
  mkdirSync(root)
  chmodSync(root, mode)
}

test.for([
  ['a link to another folder', 'it is not a folder', () => symlinkSync(folder, root)],
  ['a link to nowhere', 'it is not a folder', () => symlinkSync('/no/where', root)],
  ['a file', 'it is not a folder', () => writeFileSync(root, '')],
  ['a folder that others may look into', 'other users may access it', () => folderOfMode(0o750)],
  ['a folder that others may write into', 'other users may access it', () => folderOfMode(0o702)],
] as const)('refuses %s', async ([, reason, prepare]) => {
  prepare()

  await expect(ensurePrivateFolder(root)).rejects.toMatchObject({
    code: 'FAILED',
    message: `cannot store control planes in ${root}: ${reason}`,
    hints: [`ls -ld ${root}`, expect.stringContaining('TMPDIR')],
  })
})

test('refuses a folder of another user', async () => {
  mkdirSync(root, { mode: 0o700 })
  const owner = statSync(root).uid
  vi.spyOn(process, 'getuid').mockReturnValue(owner + 1)

  await expect(ensurePrivateFolder(root)).rejects.toThrow(/it belongs to another user/)
})

test('reports a temporary folder that is not writable', async () => {
  const missing = join(folder, 'missing', 'root')

  await expect(ensurePrivateFolder(missing)).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining(`cannot create ${missing}`),
  })
})
