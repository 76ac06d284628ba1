import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createTemporaryFolder } from '../../../src/shared/files/create-temporary-folder.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'

const DAY_MS = 24 * 3_600_000

test('is readable for its owner alone, and removed at the end with the folders of dead processes', async () => {
  await using root = await temporaryFolder()
  vi.stubEnv('TMPDIR', root.path)
  const dead = spawnSync('true').pid
  const aged = (name: string, ageMs: number) => {
    const path = join(root.path, name)
    mkdirSync(join(path, 'inner'), { recursive: true })
    utimesSync(path, new Date(), new Date(Date.now() - ageMs))
    return name
  }
  aged(`vplane-${dead}-aaaaaa`, 2 * DAY_MS)
  const kept = [
    aged(`vplane-${dead}-bbbbbb`, DAY_MS / 2),
    aged(`vplane-${process.pid}-cccccc`, 2 * DAY_MS),
    aged(`vplane-edit-dddddd`, 2 * DAY_MS),
  ]

  const modes = []
  {
    await using folder = await createTemporaryFolder()
    modes.push(statSync(folder.path).mode & 0o777)
  }

  expect(modes).toEqual([0o700])
  expect(readdirSync(root.path).toSorted()).toEqual(kept.toSorted())
})
