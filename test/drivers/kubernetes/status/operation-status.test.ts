import { expect, test } from 'vitest'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import { holderIdentity } from '../../../../src/drivers/kubernetes/record/plane-lease.ts'
import type { JournalEntry } from '../../../../src/drivers/kubernetes/record/plane-record.ts'
import {
  duringOperation,
  operationStatus,
} from '../../../../src/drivers/kubernetes/status/operation-status.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { putObject } from '../fake-cluster.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const NOW = new Date('2026-06-01T12:00:00Z')
const { signal } = new AbortController()

const PLANE = { isComplete: true, previousSpec: resolveSpec({}, 'kubernetes') }
const TO_RESUME = { purpose: 'to continue', action: 'resume', plane: PLACE }
const LIVING = 'elsewhere_7_b7'
const DEAD = holderIdentity().replace(`_${process.pid}_`, '_4194400_')

test.for([
  ['is under way while its Lease is renewed', LIVING, '2026-06-01T11:59:58.000000Z', false],
  ['was interrupted when its process is gone', DEAD, '2026-06-01T11:59:58.000000Z', true],
  ['was interrupted when nobody renews its Lease', LIVING, '2026-06-01T11:58:00.000000Z', true],
  ['was interrupted without a Lease', undefined, undefined, true],
] as const)('an operation %s', async ([, holder, renewTime, isInterrupted]) => {
  const api = new MemoryHostApi()
  if (holder !== undefined) {
    const spec = { holderIdentity: holder, renewTime }
    const lease = { apiVersion: 'coordination.k8s.io/v1', spec }
    putObject(api, ['Lease', { name: 'vplane-dev-lock' }], lease)
  }

  expect(await statusOf(api, 'change')).toEqual({
    kind: 'change',
    step: 'Adding vplane-dev-etcd-1 to etcd',
    since: new Date('2026-06-01T11:56:00Z'),
    at: new Date('2026-06-01T11:57:00Z'),
    holder: LIVING,
    isInterrupted,
    hints: isInterrupted ? [TO_RESUME] : [],
  })
})

test('a duty of a keeper is no operation, and a Lease that may not be read is no error', async () => {
  const api = new MemoryHostApi(refusing(403, 'forbidden'))

  expect(await statusOf(api, 'maintain')).toBeUndefined()
  expect(await operationStatus(api, PLACE, { record: PLANE, now: NOW, signal })).toBeUndefined()
  expect(await statusOf(api, 'change')).toMatchObject({ isInterrupted: true })
})

test.for([
  ['Ready', undefined, { kind: 'change' }, ['Changing', 'a step']],
  ['NotReady', 'etcd: no image', { kind: 'repair' }, ['Changing', 'etcd: no image']],
  ['NotReady', 'etcd: no image', { isInterrupted: true }, ['NotReady', 'etcd: no image']],
  ['Starting', undefined, { kind: 'start' }, ['Starting', undefined]],
  ['Fenced', 'it moves', { kind: 'move' }, ['Fenced', 'it moves']],
] as const)('%s (%s) during %j is shown as %j', ([phase, reason, fields, shown]) => {
  const times = { since: NOW, at: NOW }
  const step = { kind: 'change', step: 'a step', holder: LIVING, hints: [] }
  const under = { ...step, ...times, isInterrupted: false }
  const status = { phase, components: [], ...(reason === undefined ? {} : { reason }) }

  const during = duringOperation(status, { ...under, ...fields })

  expect([during.phase, during.reason]).toEqual(shown)
  expect(duringOperation(status, undefined)).toBe(status)
})

function statusOf(api: MemoryHostApi, operation: JournalEntry['operation']) {
  const step = 'Adding vplane-dev-etcd-1 to etcd'
  const times = { since: '2026-06-01T11:56:00Z', at: '2026-06-01T11:57:00Z' }
  const journal = { operation, step, ...times, holder: LIVING }
  return operationStatus(api, PLACE, { record: { ...PLANE, journal }, now: NOW, signal })
}
