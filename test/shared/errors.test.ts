import { mkdir, readFile, writeFile as write } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isSystemError, messageOf, reasonOf } from '../../src/shared/errors.ts'
import { writeFile } from '../../src/shared/files/write-file.ts'
import { temporaryFolder } from '../support/machine/temporary-folder.ts'

test.for([
  ['none', 'no such file or folder'],
  ['folder', 'it is a folder'],
  ['file/x', 'its path leads through a file'],
] as const)('explains why %j cannot be read', async ([name, reason]) => {
  await using folder = await temporaryFolder()
  await mkdir(join(folder.path, 'folder'))
  await write(join(folder.path, 'file'), '')
  const path = join(folder.path, name)

  const error = await readFile(path).catch((thrown: unknown) => thrown)

  expect(reasonOf(error)).toBe(reason)
  // An error of a read has no path: it was opened before.
  expect(messageOf(error)).toBe(name === 'folder' ? reason : `${reason}: "${path}"`)
})

test.for([
  new Error('it broke'),
  Object.assign(new Error('it broke'), { code: 'ECONNRESET', syscall: 'read' }),
  Object.assign(new Error('it broke'), { code: 'ENOENT' }),
  'it broke',
])('keeps the message of %s', (error) => {
  expect([messageOf(error), reasonOf(error)]).toEqual(['it broke', 'it broke'])
  expect(isSystemError(error)).toBe(false)
})

test('names the file that cannot be written, not the temporary one', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'none', 'file')

  const error = await writeFile(path, 'text').catch((thrown: unknown) => thrown)

  expect(messageOf(error)).toBe(`no such file or folder: "${path}"`)
})
