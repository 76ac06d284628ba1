import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { isFileLocked } from '../../../src/shared/files/is-file-locked.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'

test('knows whether a file is locked, and does not need to know what is in it', async () => {
  await using folder = await temporaryFolder()
  const pathOf = (name: string, content: string | Buffer) => {
    const path = join(folder.path, name)
    writeFileSync(path, content)
    return path
  }
  const empty = pathOf('empty', '')
  using holder = new DatabaseSync(empty)
  holder.exec('BEGIN EXCLUSIVE')

  const whileHeld = isFileLocked(empty)
  holder.exec('ROLLBACK')

  expect(whileHeld).toBe(true)
  expect(isFileLocked(empty)).toBe(false)
  expect(isFileLocked(pathOf('text', 'no database'))).toBe(false)
  expect(isFileLocked(pathOf('zeros', Buffer.alloc(100_000)))).toBe(false)
  expect(isFileLocked(join(folder.path, 'missing'))).toBe(false)
})
