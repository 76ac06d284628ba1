import { expect, test } from 'vitest'
import { RecentlyUsed } from '../../src/shared/recently-used.ts'

test('makes a value again only for another proof', () => {
  const { dropped, get } = recentlyUsed()

  expect([get('dev', 'a'), get('dev', 'a'), get('other', 'b')]).toEqual([1, 1, 2])
  expect(get('dev', 'b')).toBe(3)
  expect(dropped).toEqual([1])
})

test('drops what nobody has asked for within a minute', () => {
  const { clock, dropped, get } = recentlyUsed()
  get('dev', 'a')
  get('other', 'a')

  clock.ms = 50_000
  get('dev', 'a')
  clock.ms = 100_000

  expect(get('dev', 'a')).toBe(1)
  expect(dropped).toEqual([2])
})

test('does not keep what could not be made', () => {
  const kept = new RecentlyUsed<number>()
  const fail = () => {
    throw new Error('no file')
  }

  expect(() => kept.get('dev', 'a', fail)).toThrow('no file')
  expect(kept.get('dev', 'a', () => 1)).toBe(1)
})

function recentlyUsed() {
  const [clock, dropped] = [{ ms: 0 }, new Array<number>()]
  const kept = new RecentlyUsed<number>(
    (value) => dropped.push(value),
    () => clock.ms,
  )
  let made = 0
  return { clock, dropped, get: (key: string, proof: string) => kept.get(key, proof, () => ++made) }
}
