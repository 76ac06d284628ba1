import { expect, test } from 'vitest'
import type { JournalEntry } from '../../../src/control-plane/operations/journal.ts'
import {
  duringOperation,
  operationStatus,
} from '../../../src/control-plane/operations/operation-status.ts'

const PLANE = { driver: 'kubernetes', name: 'dev', namespace: 'team-a' } as const
const NOW = new Date('2026-06-01T12:00:00Z')
const HOLDER = 'elsewhere_7_b7'

test.for([
  ['is under way while its vplane holds the plane', true, []],
  [
    'was interrupted when nobody does',
    false,
    [
      {
        purpose: 'to continue',
        action: 'resume',
        plane: { name: 'dev', namespace: 'team-a' },
      },
    ],
  ],
] as const)('an operation %s', async ([, isHeld, hints]) => {
  expect(await statusOf('change', isHeld)).toEqual({
    kind: 'change',
    step: 'Adding vplane-dev-etcd-1 to etcd',
    since: new Date('2026-06-01T11:56:00Z'),
    at: new Date('2026-06-01T11:57:00Z'),
    holder: HOLDER,
    isInterrupted: !isHeld,
    hints,
  })
})

test('a duty of a keeper is no operation, and nothing is looked up without one', async () => {
  const isHeld = () => Promise.reject(new Error('looked up'))

  expect(await statusOf('maintain', true)).toBeUndefined()
  const none = { journal: undefined, unfinished: [] }
  expect(await operationStatus(PLANE, none, isHeld)).toBeUndefined()
})

test.for([
  ['Ready', undefined, { kind: 'change' }, ['Changing', 'a step']],
  ['NotReady', 'etcd: no image', { kind: 'repair' }, ['Changing', 'etcd: no image']],
  ['NotReady', 'etcd: no image', { isInterrupted: true }, ['NotReady', 'etcd: no image']],
  ['Starting', undefined, { kind: 'start' }, ['Starting', undefined]],
  ['Fenced', 'it moves', { kind: 'move' }, ['Fenced', 'it moves']],
] as const)('%s (%s) during %j is shown as %j', ([phase, reason, fields, shown]) => {
  const times = { since: NOW, at: NOW }
  const step = { kind: 'change', step: 'a step', holder: HOLDER, hints: [] }
  const under = { ...step, ...times, isInterrupted: false }
  const status = { phase, components: [], ...(reason === undefined ? {} : { reason }) }

  const during = duringOperation(status, { ...under, ...fields })

  expect([during.phase, during.reason]).toEqual(shown)
  expect(duringOperation(status, undefined)).toBe(status)
})

function statusOf(operation: JournalEntry['operation'], isHeld: boolean) {
  const step = 'Adding vplane-dev-etcd-1 to etcd'
  const times = { since: '2026-06-01T11:56:00Z', at: '2026-06-01T11:57:00Z' }
  const journal = { operation, step, ...times, holder: HOLDER }
  const unfinished = [{ kind: 'change' } as const]
  return operationStatus(PLANE, { journal, unfinished }, () => Promise.resolve(isHeld))
}
