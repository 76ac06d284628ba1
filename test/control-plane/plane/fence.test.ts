import { hintTexts } from '../../../src/cli/catalog/hint-text.ts'
import { expect, test } from 'vitest'
import { fenceOf, replacedBy, refuseFenced } from '../../../src/control-plane/plane/fence.ts'
import type { PlaneMove, PlaneReference } from '../../../src/control-plane/plane/plane.ts'
import { isPlaneMove } from '../../../src/control-plane/plane/recorded-plane.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const DEV: PlaneReference = { name: 'dev', driver: 'kubernetes', namespace: 'team' }
const TO: PlaneReference = { name: 'dev', driver: 'local' }

test('leaves a plane alone that is not being moved', () => {
  expect(fenceOf({})).toBeUndefined()
  expect(() => refuseFenced(DEV)).not.toThrow()
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
    [
      'to complete the interrupted move: vplane move dev --namespace team',
      'to delete its data here: vplane delete dev --namespace team',
    ],
  ],
])('says what can be done with a plane that is %s', ([, movingTo, message, hints]) => {
  expect(thrownBy(() => refuseFenced({ ...DEV, movingTo }))).toMatchObject({ message, hints })
})

test.for<[PlaneReference, PlaneReference, string]>([
  [DEV, TO, 'vplane move dev --driver local --to-namespace team'],
  [
    { ...DEV, hostContext: 'work' },
    { ...DEV, hostContext: 'my prod' },
    "vplane move dev --namespace team --host-context 'my prod' --to-context work --to-namespace team",
  ],
  [TO, DEV, 'vplane move dev --namespace team --to-driver local'],
])('says how a plane comes back from where it went: %j from %j', ([plane, to, command]) => {
  expect(hintTexts(replacedBy(plane, to).hints)).toContain(`to move it back from there: ${command}`)
})

test.for([
  [{ to: TO }, true],
  [{ to: DEV, handedTo: 'its heir' }, true],
  [{ to: 'there' }, false],
  [{ to: { name: 'dev' } }, false],
  [{ to: TO, handedTo: 7 }, false],
  [{ to: TO, handedTo: 'its heir', handed: { keys: 7, sha256: 'ab' } }, true],
  [{ to: TO, handedTo: 'its heir', handed: { keys: '7' } }, false],
  ['there', false],
] as const)('tells whether %j records a move: %s', ([value, isOne]) => {
  expect(isPlaneMove(value)).toBe(isOne)
})
