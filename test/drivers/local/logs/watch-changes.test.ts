import { appendFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { watchChanges } from '../../../../src/drivers/local/logs/watch-changes.ts'
import { temporaryLog } from './temporary-log.ts'

const OUT_OF_WATCHES = () => {
  throw Object.assign(new Error('too many open files, watch'), { code: 'EMFILE' })
}

test.for([
  ['by the system', undefined],
  ['by polling, when the system has no watch left', OUT_OF_WATCHES],
] as const)('detects every change until its signal fires, %s', async ([, startWatch]) => {
  await using log = await temporaryLog('')
  const stopping = new AbortController()
  using changes = watchChanges(log.path, stopping.signal, startWatch)

  for (const text of ['one', 'two']) {
    const next = changes.next()
    await appendFile(log.path, text)

    expect(await next).toBe(true)
  }
  const last = changes.next()
  stopping.abort()
  expect([await last, await changes.next()]).toEqual([false, false])
})

test('remembers a change while nobody waits', async () => {
  await using log = await temporaryLog('')
  using changes = watchChanges(log.path, new AbortController().signal)
  const first = changes.next()
  await appendFile(log.path, 'one')
  await first

  await appendFile(log.path, 'two')

  expect(await changes.next()).toBe(true)
})
