import { expect, test } from 'vitest'
import type { Plane } from '../../../src/control-plane/plane/plane.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import {
  COMPARE_MS,
  isSettled,
  type Settled,
  settledBefore,
} from '../../../src/operator/plane/is-settled.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const DAY_MS = 86_400_000
const SEEN = { own: 1, others: 1 }

function resource(ready: [status: string, reason: string], progressing = 'False') {
  const [status, reason] = ready
  const conditions = [
    { type: 'Ready', status, reason },
    { type: 'Progressing', status: progressing, reason: 'Ready' },
  ]
  return {
    apiVersion: 'vplane.dev/v1beta1',
    kind: 'ControlPlane',
    metadata: { name: 'dev', generation: 2 },
    status: { observedGeneration: 2, conditions },
  }
}

const before = (...of: Parameters<typeof resource>) =>
  settledBefore(resource(...of), { changes: SEEN, now: NOW })

const ageOf = (settled: Settled | undefined) => NOW.getTime() - Number(settled?.at)

test('continues with what the status of a finished plane says', () => {
  const [running, paused] = [before(['True', 'Ready']), before(['False', 'Paused'])]

  expect([running, paused]).toMatchObject([{ generation: 2 }, { generation: 2 }])
  expect(ageOf(running)).toBeGreaterThanOrEqual(0)
  expect(ageOf(running)).toBeLessThanOrEqual(COMPARE_MS)
  expect(ageOf(paused)).toBeLessThanOrEqual(DAY_MS)
})

test.for([
  { name: 'that was being changed', of: resource(['False', 'Changing'], 'True') },
  { name: 'with a fault', of: resource(['False', 'TimedOut']) },
  { name: 'that was being paused', of: resource(['False', 'Paused'], 'True') },
  { name: 'without a status', of: { ...resource(['True', 'Ready']), status: undefined } },
])('compares a plane $name with its spec', ({ of }) => {
  expect(settledBefore(of, { changes: SEEN, now: NOW })).toBeUndefined()
})

const OTHERS = { own: 1, others: 2 }
const OWN = { own: 2, others: 1 }

test.for([
  { state: 'running', of: 'all are seen', before: SEEN, changes: SEEN, limitMs: Infinity },
  { state: 'running', of: 'vplane has changed one', before: SEEN, changes: OWN, limitMs: DAY_MS },
  { state: 'paused', of: 'others changed one', before: SEEN, changes: OTHERS, limitMs: COMPARE_MS },
  {
    state: 'running',
    of: 'not all are seen',
    before: undefined,
    changes: undefined,
    limitMs: COMPARE_MS,
  },
  {
    state: 'paused',
    of: 'not all are seen',
    before: undefined,
    changes: undefined,
    limitMs: DAY_MS,
  },
] as const)(
  'compares the objects of a plane that is $state again after $limitMs ms, if $of',
  ({ changes, limitMs, state, before: seen }) => {
    expect(limitOf({ generation: 2, at: NOW, changes: seen }, { changes, state })).toBe(limitMs)
  },
)

test.for([
  { state: 'running', changes: SEEN, limitMs: COMPARE_MS },
  { state: 'paused', changes: SEEN, limitMs: DAY_MS },
  { state: 'paused', changes: OTHERS, limitMs: COMPARE_MS },
] as const)(
  'compares those of a plane that is $state after $limitMs ms, which another operator has compared',
  ({ changes, limitMs, state }) => {
    const settled = { generation: 2, at: NOW, changes: SEEN, isAssumed: true }

    expect(limitOf(settled, { changes, state })).toBe(limitMs)
  },
)

/** The first of the ages at which a plane has to be compared. */
function limitOf(
  settled: Settled,
  { changes, state }: { changes: Settled['changes']; state: Plane['desired'] },
): number | undefined {
  const plane: Plane = {
    name: 'dev',
    id: '1',
    driver: 'kubernetes',
    createdAt: NOW,
    writtenBy: '',
    userSpec: {},
    spec: resolveSpec({}, 'kubernetes', { isDeclared: true }),
    desired: state,
    ...(state === 'paused' && { idleSince: NOW }),
  }
  const of = resource(['True', 'Ready'])
  return [COMPARE_MS, DAY_MS, Infinity].find((ageMs) => {
    const now = new Date(NOW.getTime() + Math.min(ageMs, 100 * DAY_MS))
    const isOver = !isSettled(settled, { plane, resource: of, changes, now })
    return isOver || ageMs === Infinity
  })
}
