import { expect, test } from 'vitest'
import { stagesAhead } from '../../../src/control-plane/rotation/rotation.ts'

const cutOffAt = (stage: 'prepare' | 'switch' | 'complete') =>
  ({ keys: 'service-account-key', stage }) as const

test.for([
  [{}, undefined, ['prepare']],
  [{ taken: 'prepare' }, undefined, ['switch']],
  [{ taken: 'switch' }, undefined, ['complete']],
  [{}, 'complete', ['prepare', 'switch', 'complete']],
  [{ taken: 'prepare' }, 'complete', ['switch', 'complete']],
  [{ taken: 'prepare' }, 'prepare', []],
  [{ taken: 'switch' }, 'prepare', []],
  [{ taken: 'prepare', unfinished: cutOffAt('prepare') }, undefined, ['prepare']],
  [{ taken: 'switch', unfinished: cutOffAt('switch') }, 'complete', ['switch', 'complete']],
  [{ unfinished: cutOffAt('complete') }, undefined, ['complete']],
  [{ unfinished: cutOffAt('complete') }, 'prepare', ['complete']],
] as const)('%j, asked for %s, goes through %j', ([progress, until, stages]) => {
  expect(stagesAhead(progress, until)).toEqual(stages)
})
