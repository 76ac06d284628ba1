import { expect, test } from 'vitest'
import {
  requireFreeSpace,
  toStorageError,
} from '../../../../../src/drivers/local/binaries/cache/storage-error.ts'
import { temporaryFolder } from '../../../../support/machine/temporary-folder.ts'

test.for([
  ['ENOSPC', 'the disk of "/cache" is full'],
  ['EDQUOT', 'the disk of "/cache" is full'],
  ['EROFS', 'cannot write to "/cache": the file system is read-only'],
  ['ENOENT', 'cannot write to "/cache": no such file or folder'],
  ['EACCES', 'cannot write to "/cache": permission denied'],
  ['ENOTDIR', 'cannot write to "/cache": its path leads through a file'],
] as const)('explains %s', async ([code, message]) => {
  await using folder = await temporaryFolder()
  const cause = Object.assign(new Error(code), { code, syscall: 'open' })

  expect(toStorageError(cause, folder.path)).toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining(message.replace('/cache', folder.path)),
    hints: expect.arrayContaining([expect.stringContaining(folder.path)]),
    cause,
  })
})

test.for([new Error('other'), Object.assign(new Error('x'), { code: 'ECONNRESET' }), undefined])(
  'ignores %s',
  (error) => {
    expect(toStorageError(error, '/cache')).toBeUndefined()
  },
)

test('fails before writing when there is not enough space', async () => {
  await using folder = await temporaryFolder()

  await requireFreeSpace(folder.path, 1)
  await expect(requireFreeSpace(folder.path, Number.MAX_SAFE_INTEGER)).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringMatching(/is full: 8589934592 MiB are needed and \d+ are free$/),
  })
})
