import { expect, test } from 'vitest'
import { Usage } from '../../../src/syncer/copies/uses.ts'

test('knows what is used by anybody, and tells what changed', () => {
  const usage = new Usage()

  expect(usage.set('default/a', ['default/settings', 'default/tls'])).toEqual([
    'default/settings',
    'default/tls',
  ])
  expect(usage.set('default/b', ['default/settings'])).toEqual(['default/settings'])
  expect(usage.set('default/a', ['default/tls'])).toEqual(['default/settings'])

  expect(usage.isUsed('default/settings')).toBe(true)
  expect(usage.isUsed('default/other')).toBe(false)
})

test('forgets what the last pod used that is gone', () => {
  const usage = new Usage()
  usage.set('default/a', ['default/settings'])
  usage.set('default/b', ['default/settings'])

  usage.set('default/a', [])
  expect(usage.isUsed('default/settings')).toBe(true)
  expect(usage.set('default/b', [])).toEqual(['default/settings'])

  expect(usage.isUsed('default/settings')).toBe(false)
})

test('tells nothing when nothing changed', () => {
  const usage = new Usage()
  usage.set('default/a', ['default/settings'])

  expect(usage.set('default/a', ['default/settings'])).toEqual([])
})
