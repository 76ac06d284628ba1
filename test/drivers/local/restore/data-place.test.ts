import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataPlaceOf } from '../../../../src/drivers/local/restore/data-place.ts'
import { planeFolder } from '../../../../src/drivers/local/store/plane-folder.ts'
import { temporaryFolder } from '../../../support/machine/temporary-folder.ts'
import { planeRecordOf } from '../plane-record-of.ts'

test('keeps the first data of a folder until the last of several restores is complete', async () => {
  await using place = await placeWith('first')
  const former = place.data.formerNameAt(new Date('2026-01-02T03:04:05Z'))

  for (const text of ['second', 'third']) {
    await place.put(place.folder.restoredData, text)
    await place.data.exchange(former)
  }
  const found = [
    await place.current(),
    await readFile(join(place.folder.root, former, 'data'), 'utf8'),
  ]
  await place.data.dropFormer(former)

  expect(former).toBe('etcd-before-20260102T030405')
  expect(found).toEqual(['third', 'first'])
  expect(existsSync(place.data.describe(former))).toBe(false)
  expect(await place.current()).toBe('third')
})

test('puts the former data of a folder back', async () => {
  await using place = await placeWith('first')
  await place.put(place.folder.restoredData, 'second')
  await place.data.exchange('etcd-before')

  const isBack = await place.data.putBack('etcd-before')

  expect(isBack).toBe(true)
  expect(await place.current()).toBe('first')
  expect(await place.data.putBack('etcd-before')).toBe(false)
  expect(await place.current()).toBe('first')
})

async function placeWith(text: string) {
  const root = await temporaryFolder()
  const folder = planeFolder(root.path)
  const put = async (path: string, content: string) => {
    await mkdir(path)
    await writeFile(join(path, 'data'), content)
  }
  await put(folder.etcdData, text)
  return {
    data: dataPlaceOf(planeRecordOf('dev'), folder, new AbortController().signal),
    folder,
    put,
    current: () => readFile(join(folder.etcdData, 'data'), 'utf8'),
    [Symbol.asyncDispose]: () => root[Symbol.asyncDispose](),
  }
}
