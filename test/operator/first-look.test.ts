import { expect, test } from 'vitest'
import { FirstLook } from '../../src/operator/first-look.ts'

test('tells once when all that existed at the start were seen', () => {
  const told: number[] = []
  const look = new FirstLook((count) => told.push(count))

  look.note('team-a/one')
  look.expect(['team-a/one', 'team-a/two'])
  const before = [...told]
  look.note('team-a/two')
  look.note('team-a/three')

  expect(before).toEqual([])
  expect(told).toEqual([2])
})
