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
] as const)('detects every change %s', async ([, startWatch]) => {
  await using log = await temporaryLog('')
  using changes = watchChanges(log.path, new AbortController().signal, startWatch)

  for (const text of ['one', 'two']) {
    const next = changes.next()
    await appendFile(log.path, text)

    expect(await next).toBe(true)
  }
})

test.for([
  ['by the system', undefined],
  ['by polling', OUT_OF_WATCHES],
] as const)('ends when the signal fires, watched %s', async ([, startWatch]) => {
  await using log = await temporaryLog('')
  const stopping = new AbortController()
  using changes = watchChanges(log.path, stopping.signal, startWatch)

  const next = changes.next()
  stopping.abort()

  expect(await next).toBe(false)
  expect(await changes.next()).toBe(false)
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
