import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { refuseExisting } from '../../../src/shared/files/refuse-existing.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { thrownBy } from '../../support/thrown-by.ts'

test.for([
  ['a file', (path: string) => writeFile(path, 'text')],
  ['a folder', (path: string) => mkdir(path)],
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

test('leaves paths alone where nothing exists', async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, 'file'), '')

  for (const name of ['new', 'none/new', 'file/new']) {
    expect(() => refuseExisting(join(folder.path, name), { force: false })).not.toThrow()
  }
})
