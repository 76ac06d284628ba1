import { expect, test } from 'vitest'
import { fenceOf, refuseFenced, refuseHandedOver } from '../../src/control-plane/fence.ts'
import type { PlaneMove, PlaneReference } from '../../src/control-plane/plane.ts'
import { isPlaneMove } from '../../src/control-plane/plane-moves.ts'
import { thrownBy } from '../support/thrown-by.ts'

const DEV: PlaneReference = { name: 'dev', driver: 'kubernetes', namespace: 'team' }
const TO: PlaneReference = { name: 'dev', driver: 'local' }

test('leaves a plane alone that is not being moved', () => {
  expect(fenceOf({})).toBeUndefined()
  expect(() => refuseFenced(DEV)).not.toThrow()
  expect(() => refuseHandedOver({ ...DEV, movingTo: { to: TO } })).not.toThrow()
})

test.for<[string, PlaneMove, string, string[]]>([
  [
    'on its way',
    { to: TO },
    '"dev" is fenced: it is being moved to driver local',
    [
      'vplane move dev --namespace team',
      'to keep it where it was: vplane move dev --namespace team --abort',
    ],
  ],
  [
    'gone',
    { to: TO, handedTo: 'its heir' },
    '"dev" is fenced: it was moved to driver local, and only its data is kept',
    ['vplane delete dev --namespace team'],
  ],
])('says what can be done with a plane that is %s', ([, movingTo, message, hints]) => {
  expect(thrownBy(() => refuseFenced({ ...DEV, movingTo }))).toMatchObject({ message, hints })
})

test('lets no plane come back that was handed over', () => {
  const movingTo = { to: TO, handedTo: 'its heir' }

  const error = thrownBy(() => refuseHandedOver({ ...DEV, movingTo }))

  expect(error.message).toContain('"dev" has gone to driver local')
})

test.for([
  [{ to: TO }, true],
  [{ to: DEV, handedTo: 'its heir' }, true],
  [{ to: 'there' }, false],
  [{ to: { name: 'dev' } }, false],
  [{ to: TO, handedTo: 7 }, false],
  ['there', false],
] as const)('tells whether %j records a move: %s', ([value, isOne]) => {
  expect(isPlaneMove(value)).toBe(isOne)
})
