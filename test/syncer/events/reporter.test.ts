import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import type { Report } from '../../../src/syncer/events/reporter.ts'
import { askHost, createReporter, reportRefusal } from '../../../src/syncer/events/reporter.ts'
import { MemoryHostApi, refusal } from '../../support/api/memory-host-api.ts'
import { SCOPE, virtualObject } from '../translate/some-objects.ts'

const WEB = virtualObject('Pod')
const REFUSED = { type: 'Warning', reason: 'SyncRefused', message: 'no hostPath' } as const

function reporterTo(api = new MemoryHostApi()) {
  const errors: unknown[] = []
  const clock = { now: new Date('2026-06-01T12:00:00Z') }
  const onError = (error: unknown) => errors.push(error)
  const reporter = createReporter(api, { now: () => clock.now, onError })
  return { clock, errors, reporter, events: () => [...api.objects.values()] }
}

test('says something about an object in its namespace', async () => {
  const { events, reporter } = reporterTo()

  await reporter.report(WEB, REFUSED)

  expect(events()).toMatchObject([
    {
      kind: 'Event',
      metadata: { namespace: 'shop', name: expect.stringMatching(/^web\.[0-9a-f]{16}$/) },
      involvedObject: { kind: 'Pod', name: 'web', namespace: 'shop', uid: 'uid-of-web' },
      type: 'Warning',
      reason: 'SyncRefused',
      message: 'no hostPath',
      count: 1,
      firstTimestamp: '2026-06-01T12:00:00Z',
    },
  ])
})

test('counts what it says again, and says something else apart', async () => {
  const { clock, events, reporter } = reporterTo()
  await reporter.report(WEB, REFUSED)
  clock.now = new Date('2026-06-01T12:05:00Z')

  await reporter.report(WEB, REFUSED)
  await reporter.report(WEB, { ...REFUSED, message: 'no hostPID' })

  expect(events()).toMatchObject([
    { message: 'no hostPath', count: 2, lastTimestamp: '2026-06-01T12:05:00Z' },
    { message: 'no hostPID', count: 1 },
  ])
})

test('never fails what it reports about', async () => {
  const onRequest = () => Promise.reject(new Error('no events today'))
  const { errors, reporter } = reporterTo(new MemoryHostApi({ onRequest }))

  await reporter.report(WEB, REFUSED)

  expect(errors).toEqual([new Error('no events today')])
})

test('says in an Event why the host is not asked', async () => {
  const { options, reports } = recording()

  await reportRefusal(options, WEB, { refusals: ['spec.a is wrong', 'spec.b too'] })

  const message = 'not synced to the host cluster: spec.a is wrong; spec.b too'
  expect(reports).toEqual([{ type: 'Warning', reason: 'SyncRefused', message }])
})

test.for([
  [400, ['HostRefused']],
  [403, ['HostRefused']],
  [422, ['HostRefused']],
  [409, []],
  [429, []],
  [503, []],
] as const)('passes a %i of the host on, of which it says %j', async ([status, reasons]) => {
  const { options, reports } = recording()
  const error = refusal(status, 'exceeded quota')

  await expect(askHost(options, WEB, () => Promise.reject(error))).rejects.toBe(error)
  expect(reports.map(({ reason }) => reason)).toEqual(reasons)
})

test('says what the host says in the words of the plane', async () => {
  const { options, reports } = recording()
  const message = 'pods "web-x-shop-x-dev" is forbidden: no "keys-x-shop-x-dev" in "team-a"'

  await askHost(options, WEB, () => Promise.reject(refusal(403, message))).catch(() => {})

  const virtual = 'pods "web" is forbidden: no "keys" in "shop"'
  expect(reports).toMatchObject([{ message: `refused by the host cluster: ${virtual}` }])
})

test('says which field of a newer plane the host does not know, and asks again when the object has changed', async () => {
  const { options, reports } = recording()
  // Of kube-apiserver 1.36, with strict validation.
  const message =
    'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.volumes[0].emptyDir.mode"'

  let requests = 0
  const ask = () => {
    requests += 1
    return Promise.reject(refusal(400, message))
  }

  await askHost(options, WEB, ask)
  await askHost(options, WEB, ask)
  await askHost(options, virtualObject('Pod', { spec: {} }), ask)

  // The second one is about the object as it was, whose Event must not expire.
  expect(requests).toBe(2)
  expect(reports.map((report) => report.message)).toEqual(
    Array.from({ length: 3 }, () => `refused by the host cluster: ${message}`),
  )
})

function recording() {
  const reports: Report[] = []
  const report = async (_: KubeObject, one: Report) => void reports.push(one)
  const unreadable = new WeakMap<KubeObject, Report>()
  return { reports, options: { scope: SCOPE, reporter: { report }, unreadable } }
}
