import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeInPlace } from '../../../src/kubeconfig/file/write-in-place.ts'
import { temporaryFolder } from '../temporary-folder.ts'

test.for([
  ['longer', 'a much longer text\n'],
  ['shorter', 'x'],
  ['empty', ''],
] as const)('writes a %s text into the same file', async ([, text]) => {
  const file = join(await temporaryFolder(), 'config')
  await writeFile(file, 'before\n')
  const before = await stat(file)

  await writeInPlace(file, text)

  expect(await readFile(file, 'utf8')).toBe(text)
  expect((await stat(file)).ino).toBe(before.ino)
})

test('creates no file', async () => {
  const folder = await temporaryFolder()

  await expect(writeInPlace(join(folder, 'config'), 'text')).rejects.toMatchObject({
    code: 'ENOENT',
  })
})
