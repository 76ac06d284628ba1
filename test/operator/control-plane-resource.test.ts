import { expect, test } from 'vitest'
import { settledBefore } from '../../src/operator/resource/control-plane-resource.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const COMPARE_MS = 600_000

function resource(ready: [status: string, reason: string], progressing = 'False') {
  const [status, reason] = ready
  const conditions = [
    { type: 'Ready', status, reason },
    { type: 'Progressing', status: progressing, reason: 'Ready' },
  ]
  return {
    apiVersion: 'vplane.dev/v1beta1',
    kind: 'ControlPlane',
    metadata: { name: 'dev', generation: 3 },
    status: { observedGeneration: 2, conditions },
  }
}

const before = (...of: Parameters<typeof resource>) =>
  settledBefore(resource(...of), { compareMs: COMPARE_MS, now: NOW })

test('continues with what the status of a finished plane says', () => {
  expect([before(['True', 'Ready']), before(['False', 'Paused'])]).toMatchObject([
    { generation: 2 },
    { generation: 2 },
  ])
  const age = NOW.getTime() - Number(before(['True', 'Ready'])?.at)
  expect(age).toBeGreaterThanOrEqual(0)
  expect(age).toBeLessThanOrEqual(COMPARE_MS)
})

test.for([
  { name: 'that was being changed', of: resource(['False', 'Changing'], 'True') },
  { name: 'with a fault', of: resource(['False', 'TimedOut']) },
  { name: 'that was being paused', of: resource(['False', 'Paused'], 'True') },
  { name: 'without a status', of: { ...resource(['True', 'Ready']), status: undefined } },
])('compares a plane $name with its spec', ({ of }) => {
  expect(settledBefore(of, { compareMs: COMPARE_MS, now: NOW })).toBeUndefined()
})
