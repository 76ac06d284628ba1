import { expect, test } from 'vitest'
import { hintTexts } from '../../../src/cli/catalog/hint-text.ts'
import {
  hintsToContinue,
  type OperationKind,
  type Unfinished,
  unfinishedError,
} from '../../../src/control-plane/operations/unfinished.ts'
import type { PlaneReference } from '../../../src/control-plane/plane/plane.ts'

const DEV: PlaneReference = { name: 'dev', driver: 'kubernetes', namespace: 'team' }
const to: PlaneReference = { name: 'dev', driver: 'local' }

test.for<[Unfinished, string, string[]]>([
  [
    { kind: 'creation' },
    'the creation of "dev" was interrupted',
    ['to continue: vplane resume dev --namespace team'],
  ],
  [
    { kind: 'change' },
    'a change of the spec of "dev" was interrupted',
    ['to continue: vplane resume dev --namespace team'],
  ],
  [
    { kind: 'rotation', keys: 'ca' },
    'the rotation of the CAs of "dev" was interrupted',
    ['to continue: vplane certs rotate-ca dev --namespace team'],
  ],
  [
    { kind: 'restore' },
    'a restore of "dev" was interrupted',
    ['run it again: vplane restore dev --namespace team --force --from SNAPSHOT'],
  ],
  [
    { kind: 'arrival' },
    'the move of "dev" to this place was interrupted',
    ['run the same move again', 'or to keep it where it was: --abort'],
  ],
  [
    { kind: 'majority' },
    'a repair of etcd of "dev" was interrupted',
    ['to continue: vplane repair dev --namespace team'],
  ],
  [
    { kind: 'departure', move: { to } },
    '"dev" is fenced: it is being moved to driver local',
    [
      'vplane move dev --namespace team',
      'to keep it where it was: vplane move dev --namespace team --abort',
    ],
  ],
  [
    { kind: 'departure', move: { to, handedTo: 'its heir' } },
    '"dev" is fenced: it was moved to driver local, and only its data is kept',
    [
      'to complete the interrupted move: vplane move dev --namespace team',
      'to delete its data here: vplane delete dev --namespace team',
    ],
  ],
  [
    { kind: 'deletion' },
    '"dev" is half deleted',
    ['to continue: vplane delete dev --namespace team'],
  ],
])('explains how to finish %j', ([unfinished, message, hints]) => {
  const error = unfinishedError(DEV, unfinished)

  expect(error).toMatchObject({ code: 'FAILED', message })
  expect(hintTexts(error.hints)).toEqual(hints)
})

test.for<[OperationKind, Unfinished[], string]>([
  ['create', [{ kind: 'creation' }], 'vplane resume dev --namespace team'],
  ['change', [{ kind: 'change' }], 'vplane resume dev --namespace team'],
  ['pause', [{ kind: 'change' }], 'vplane pause dev --namespace team'],
  ['repair', [{ kind: 'other', operation: 'repair' }], 'vplane repair dev --namespace team'],
  ['rotate', [], 'vplane certs rotate dev --namespace team'],
  ['remove', [{ kind: 'deletion' }], 'vplane delete dev --namespace team'],
])('an interrupted %s, which left %j, is continued by a command', ([operation, left, command]) => {
  const hints = hintsToContinue(DEV, { operation }, left)

  expect(hintTexts(hints)).toEqual([`to continue: ${command}`])
})

test('an interrupted rotation of keys is continued by its own command', () => {
  const hints = hintsToContinue(DEV, { operation: 'rotate', keys: 'ca' }, [])

  expect(hintTexts(hints)).toEqual(['to continue: vplane certs rotate-ca dev --namespace team'])
})
