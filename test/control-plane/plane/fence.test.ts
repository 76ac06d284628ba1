import { hintTexts } from '../../../src/cli/catalog/hint-text.ts'
import { expect, test } from 'vitest'
import { fenceOf, replacedBy } from '../../../src/control-plane/plane/fence.ts'
import type { PlaneReference } from '../../../src/control-plane/plane/plane.ts'
import { isPlaneMove } from '../../../src/control-plane/plane/recorded-plane.ts'

const DEV: PlaneReference = { name: 'dev', driver: 'kubernetes', namespace: 'team' }
const TO: PlaneReference = { name: 'dev', driver: 'local' }

test('has no words for a plane that is not being moved', () => {
  expect(fenceOf({})).toBeUndefined()
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
