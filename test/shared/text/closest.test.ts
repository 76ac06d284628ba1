import { expect, test } from 'vitest'
import { closestTo } from '../../../src/shared/text/closest.ts'

const CHANGES = ['create', 'connect', 'delete', 'disconnect', 'run']
const COMMANDS = [...CHANGES, 'describe', 'list', 'ls', 'logs', 'version']

test.for([
  ['verison', 'version'],
  ['crate', 'create'],
  ['creat', 'create'],
  ['delte', 'delete'],
  ['desc', 'describe'],
  ['LIST', 'list'],
  ['lits', 'list'],
  ['conect', 'connect'],
  ['rnu', 'run'],
  ['sl', 'ls'],
] as const)('takes "%s" for "%s"', ([word, expected]) => {
  expect(closestTo(word, COMMANDS)).toBe(expected)
})

test.for(['kubectl', 'xyz', '', 'q', 'frobnicate'])('finds nothing close to "%s"', (word) => {
  expect(closestTo(word, COMMANDS)).toBeUndefined()
})
