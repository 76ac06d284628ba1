import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { raiseInotifyLimit } from './raise-inotify-limit.ts'

test.for([
  ['128\n', '1024\n'],
  ['8192\n', '8192\n'],
] as const)('a limit of %s becomes %s', async ([before, after]) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'vplane-limit-'))
  const limit = join(folder.path, 'max_user_instances')
  await writeFile(limit, before)

  await raiseInotifyLimit(limit)

  expect(await readFile(limit, 'utf8')).toBe(after)
})
