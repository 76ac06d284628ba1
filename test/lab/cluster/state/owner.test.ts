import { expect, test } from 'vitest'
import { isOrphan, thisProcess } from './owner.ts'

test('a cluster that someone made by hand belongs to nobody and stays', () => {
  expect(isOrphan({})).toBe(false)
})

test('a cluster stays as long as the process that it ends with', () => {
  const owner = thisProcess()

  expect(isOrphan({ owner })).toBe(false)
  expect(isOrphan({ owner: { ...owner, startTime: '1' } })).toBe(true)
  expect(isOrphan({ owner: { ...owner, bootId: 'another' } })).toBe(true)
})
