import { mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { trimLog, trimLogs } from '../../../../src/drivers/local/logs/trim-log.ts'
import { planeFolder } from '../../../../src/drivers/local/store/plane-folder.ts'

test('leaves a log alone that is not too large', async () => {
  await using place = await temporaryFolder()
  await writeFile(place.path, 'one\ntwo\n')

  await trimLog(place.path, { maxBytes: 8, keptBytes: 4 })

  expect(await readFile(place.path, 'utf8')).toBe('one\ntwo\n')
})

test('cuts a log to whole lines of its end', async () => {
  await using place = await temporaryFolder()
  await writeFile(place.path, 'one\ntwo\nthree\n')

  await trimLog(place.path, { maxBytes: 8, keptBytes: 8 })

  expect(await readFile(place.path, 'utf8')).toBe('three\n')
})

test('lets the process that writes it go on at the new end', async () => {
  await using place = await temporaryFolder()
  await using writer = await open(place.path, 'a')
  await writer.write('one\ntwo\nthree\n')

  await trimLog(place.path, { maxBytes: 8, keptBytes: 8 })
  await writer.write('four\n')

  expect(await readFile(place.path, 'utf8')).toBe('three\nfour\n')
})

test('keeps a mebibyte of a log of more than eight', async () => {
  await using place = await temporaryFolder()
  await writeFile(place.path, '0123456789abcde\n'.repeat((8 * 1024 * 1024) / 16 + 1))

  await trimLog(place.path)

  const { size } = await stat(place.path)
  expect(size).toBeGreaterThan(1024 * 1024 - 20)
  expect(size).toBeLessThanOrEqual(1024 * 1024)
})

test('does nothing where there is no log', async () => {
  await using place = await temporaryFolder()

  await expect(trimLog(place.path)).resolves.toBeUndefined()
})

test('cuts all logs of a plane, whatever is wrong with one of them', async () => {
  await using place = await temporaryFolder()
  const folder = planeFolder(place.root)
  await mkdir(folder.logOf('etcd'), { recursive: true })
  const large = 'x\n'.repeat(5 * 1024 * 1024)
  await writeFile(folder.logOf('kube-apiserver'), large)
  await writeFile(folder.logOf('kube-controller-manager'), 'small\n')

  await trimLogs(folder)

  expect((await stat(folder.logOf('kube-apiserver'))).size).toBe(1024 * 1024 - 2)
  expect(await readFile(folder.logOf('kube-controller-manager'), 'utf8')).toBe('small\n')
})

async function temporaryFolder(): Promise<AsyncDisposable & { root: string; path: string }> {
  const root = await mkdtemp(join(tmpdir(), 'vplane-trim-'))
  return {
    root,
    path: join(root, 'etcd.log'),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}
