import { expect, test } from 'vitest'
import { asleep } from '../../bench/host/operator/fall-asleep.ts'
import { type PlaneRecord, toPlane } from '../../src/drivers/kubernetes/record/plane-record.ts'
import { toDeclaredPlane } from '../../src/operator/duties/declared-plane.ts'
import { planeRecordOf } from '../drivers/kubernetes/plane-record-of.ts'

// Without it, a benchmark of an operator with many paused planes measures one that has no duties.
test('an operator has the duties of a plane that has paused itself', () => {
  const record = planeRecordOf('dev', {
    desired: 'paused',
    hasData: false,
    neverStarted: true,
    userSpec: { idle: '1h', wake: { by: 'any' } },
  })

  const states = [record, asleep(record, new Date())].map(stateOf)

  expect(states).toEqual([undefined, 'asleep'])
})

function stateOf(record: PlaneRecord) {
  const plane = toPlane(record, { namespace: 'team-a', hostContext: 'host' })
  return toDeclaredPlane(plane)?.state
}
