import { mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { trimLog, trimLogs } from '../../../../src/drivers/local/logs/trim-log.ts'
import { planeFolder } from '../../../../src/drivers/local/store/plane-folder.ts'
import { temporaryLog } from './temporary-log.ts'

test('does not change a log that is not too large', async () => {
  await using place = await temporaryLog('one\ntwo\n')

  await trimLog(place.path, { maxBytes: 8, tailBytes: 4 })

  expect(await readFile(place.path, 'utf8')).toBe('one\ntwo\n')
})

test('trims a log to whole lines of its end, where its writer continues', async () => {
  await using place = await temporaryLog('one\ntwo\nthree\n')
  await using writer = await open(place.path, 'a')

  await trimLog(place.path, { maxBytes: 8, tailBytes: 8 })
  const trimmed = await readFile(place.path, 'utf8')
  await writer.write('four\n')

  expect(trimmed).toBe('three\n')
  expect(await readFile(place.path, 'utf8')).toBe('three\nfour\n')
})

test('does nothing without a log', async () => {
  await using place = await temporaryLog('')
  await rm(place.path)

  await expect(trimLog(place.path)).resolves.toBeUndefined()
})

test('trims all logs of a plane of more than eight mebibytes to one, even if one of them fails', async () => {
  await using place = await temporaryLog('')
  const folder = planeFolder(place.root)
  await mkdir(folder.logOf('etcd'), { recursive: true })
  const large = 'x\n'.repeat(4 * 1024 * 1024 + 1)
  await writeFile(folder.logOf('kube-apiserver'), large)
  await writeFile(folder.logOf('kube-controller-manager'), 'small\n')

  await trimLogs(folder)

  expect((await stat(folder.logOf('kube-apiserver'))).size).toBe(1024 * 1024 - 2)
  expect(await readFile(folder.logOf('kube-controller-manager'), 'utf8')).toBe('small\n')
})
