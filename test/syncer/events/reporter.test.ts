import { expect, test } from 'vitest'
import { createReporter } from '../../../src/syncer/events/reporter.ts'
import { MemoryHostApi } from '../../support/memory-host-api.ts'

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', uid: 'v-1' },
}
const REFUSED = { type: 'Warning', reason: 'SyncRefused', message: 'no hostPath' } as const

function reporterTo(api: MemoryHostApi) {
  const errors: unknown[] = []
  const clock = { now: new Date('2026-06-01T12:00:00Z') }
  const reporter = createReporter(api, {
    now: () => clock.now,
    onError: (error) => errors.push(error),
  })
  return { clock, errors, reporter, events: () => [...api.objects.values()] }
}

test('says something about an object in its namespace', async () => {
  const { events, reporter } = reporterTo(new MemoryHostApi())

  await reporter.report(POD, REFUSED)

  expect(events()).toMatchObject([
    {
      kind: 'Event',
      metadata: { namespace: 'shop', name: expect.stringMatching(/^web\.[0-9a-f]{16}$/) },
      involvedObject: { kind: 'Pod', name: 'web', namespace: 'shop', uid: 'v-1' },
      type: 'Warning',
      reason: 'SyncRefused',
      message: 'no hostPath',
      count: 1,
      firstTimestamp: '2026-06-01T12:00:00Z',
    },
  ])
})

test('counts what it says again, and says something else apart', async () => {
  const { clock, events, reporter } = reporterTo(new MemoryHostApi())
  await reporter.report(POD, REFUSED)
  clock.now = new Date('2026-06-01T12:05:00Z')

  await reporter.report(POD, REFUSED)
  await reporter.report(POD, { ...REFUSED, message: 'no hostPID' })

  expect(events()).toMatchObject([
    { message: 'no hostPath', count: 2, lastTimestamp: '2026-06-01T12:05:00Z' },
    { message: 'no hostPID', count: 1 },
  ])
})

test('never fails what it reports about', async () => {
  const api = new MemoryHostApi({
    onRequest: () => {
      throw new Error('no events today')
    },
  })
  const { errors, reporter } = reporterTo(api)

  await reporter.report(POD, REFUSED)

  expect(errors).toEqual([new Error('no events today')])
})
