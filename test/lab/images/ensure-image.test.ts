import { mkdtempDisposable, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { labFolder } from '../lab-folder.ts'
import { ensureImage, imageOf } from './ensure-image.ts'

test('makes an archive once, and another one when a program has changed', async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), 'lab-image-'))
  const folder = labFolder(place.path)
  const program = join(place.path, 'program')
  await writeFile(program, 'one')
  const recipe = { name: 'registry.example.com/image:1', programs: { program } }
  const other = { name: 'registry.example.com/image:2', programs: { program } }

  const first = await ensureImage(recipe, folder)
  const { ino } = await stat(first)
  const again = await ensureImage(recipe, folder)
  await ensureImage(other, folder)
  await utimes(program, new Date(), new Date(0))
  const changed = await ensureImage(recipe, folder)

  expect(again).toBe(first)
  expect(ino).toBeGreaterThan(0)
  expect(changed).not.toBe(first)
  expect((await readdir(folder.images)).map((name) => imageOf(name)).toSorted()).toEqual([
    'registry.example.com_image_1',
    'registry.example.com_image_2',
  ])
  expect(imageOf(basename(changed))).toBe('registry.example.com_image_1')
})
