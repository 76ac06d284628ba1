import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { refuseExisting } from '../../../src/shared/files/refuse-existing.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'
import { thrownBy } from '../../support/thrown-by.ts'

test.for([
  ['a file', (path: string) => writeFile(path, 'text')],
  ['a symbolic link to nothing', (path: string) => symlink('nowhere', path)],
] as const)('refuses %s that exists, unless it may be overwritten', async ([, make]) => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'dev.db')
  await make(path)

  const error = thrownBy(() => refuseExisting(path, { force: false }))

  expect(error).toMatchObject({ code: 'CONFLICT', message: `"${path}" exists` })
  expect(error.hints).toEqual(['to overwrite it: --force'])
  expect(() => refuseExisting(path, { force: true })).not.toThrow()
})

test.for([
  ['folder', 'USAGE', 'it is a folder'],
  ['none/new', 'USAGE', 'its folder does not exist'],
  ['file/new', 'FAILED', 'its path leads through a file'],
] as const)('refuses %j, which cannot be written', async ([name, code, reason]) => {
  await using folder = await temporaryFolder()
  await mkdir(join(folder.path, 'folder'))
  await writeFile(join(folder.path, 'file'), '')
  const path = join(folder.path, name)

  for (const force of [false, true]) {
    const error = thrownBy(() => refuseExisting(path, { force }))

    expect(error).toMatchObject({ code, message: `cannot write "${path}": ${reason}` })
  }
})

test('accepts a new file', async () => {
  await using folder = await temporaryFolder()

  expect(() => refuseExisting(join(folder.path, 'new'), { force: false })).not.toThrow()
})
