import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileBlobs } from '../../src/backup/blobs/file-blobs.ts'
import { openFile } from '../../src/backup/open-snapshot.ts'
import { temporaryFolder } from '../support/machine/temporary-folder.ts'
import { rejectionOf } from '../support/thrown-by.ts'

const OPTIONS = { passphrase: () => Promise.resolve(''), signal: new AbortController().signal }

test('names the file that is missing or a folder', async () => {
  await using folder = await temporaryFolder()
  const [missing, other] = [join(folder.path, 'none'), join(folder.path, 'folder')]
  await mkdir(other)

  const errors = [
    await rejectionOf(openFile(missing, OPTIONS)),
    await rejectionOf(openFile(other, OPTIONS)),
  ]

  expect(errors).toMatchObject([
    { code: 'NOT_FOUND', message: expect.stringContaining(`"${missing}"`) },
    { code: 'USAGE', message: `cannot read "${other}": it is a folder` },
  ])
})

test('finds no snapshots below a file', async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, 'home'), '')

  expect(await fileBlobs(join(folder.path, 'home', 'snapshots')).list(OPTIONS.signal)).toEqual([])
})
