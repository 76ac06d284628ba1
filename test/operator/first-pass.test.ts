import { expect, test } from 'vitest'
import { FirstPass } from '../../src/operator/first-pass.ts'

test('tells once when all that existed at the start were seen', () => {
  const told: number[] = []
  const pass = new FirstPass((count) => told.push(count))

  pass.note('team-a/one')
  pass.expect(['team-a/one', 'team-a/two'])
  const before = [...told]
  pass.note('team-a/two')
  pass.note('team-a/three')

  expect(before).toEqual([])
  expect(told).toEqual([2])
})
