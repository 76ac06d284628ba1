import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { closeLingering } from '../../../src/shared/network/close-lingering.ts'
import { connectedPair } from './connected-pair.ts'

test('closes after all bytes, as soon as the other side has ended', async () => {
  const { far, near } = await connectedPair()
  near.write('all')

  closeLingering(near, 60_000)

  expect(await text(far)).toBe('all')
  expect(near.destroyed).toBe(false)
  const closed = once(near, 'close')
  far.end()
  await closed
})

test('does not wait longer than it may for the other side', async () => {
  const { near } = await connectedPair()

  closeLingering(near, 20)

  await once(near, 'close')
})

test('leaves no timer for a connection that is closed already', async () => {
  const { far, near } = await connectedPair()
  far.end()
  near.end()
  await once(near.resume(), 'close')
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())

  closeLingering(near, 60_000)

  expect(vi.getTimerCount()).toBe(0)
})
