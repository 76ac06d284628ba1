import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { watchChanges } from '../../../../src/drivers/local/logs/watch-changes.ts'

const OUT_OF_WATCHES = () => {
  throw Object.assign(new Error('too many open files, watch'), { code: 'EMFILE' })
}

test.for([
  ['by the system', undefined],
  ['by looking, when the system has no watch left', OUT_OF_WATCHES],
] as const)('hears of every change %s', async ([, startWatch]) => {
  await using log = await emptyLog()
  using changes = watchChanges(log.path, new AbortController().signal, startWatch)

  for (const text of ['one', 'two']) {
    const next = changes.next()
    await appendFile(log.path, text)

    expect(await next).toBe(true)
  }
})

test.for([
  ['by the system', undefined],
  ['by looking', OUT_OF_WATCHES],
] as const)('is over when the signal fires, watched %s', async ([, startWatch]) => {
  await using log = await emptyLog()
  const stopping = new AbortController()
  using changes = watchChanges(log.path, stopping.signal, startWatch)

  const next = changes.next()
  stopping.abort()

  expect(await next).toBe(false)
  expect(await changes.next()).toBe(false)
})

test('remembers a change that nobody waited for', async () => {
  await using log = await emptyLog()
  using changes = watchChanges(log.path, new AbortController().signal)
  const first = changes.next()
  await appendFile(log.path, 'one')
  await first

  await appendFile(log.path, 'two')

  expect(await changes.next()).toBe(true)
})

async function emptyLog(): Promise<AsyncDisposable & { path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'vplane-watch-'))
  const path = join(folder, 'etcd.log')
  await writeFile(path, '')
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}
