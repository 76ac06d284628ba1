import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { linesAboutUse, useOf } from '../../../src/keeper/duties/plane-use.ts'

/** Metrics of a kube-apiserver without use. */
const QUIET = [
  'apiserver_flowcontrol_dispatched_requests_total{flow_schema="exempt",priority_level="exempt"} 512',
  'apiserver_flowcontrol_dispatched_requests_total{flow_schema="kube-controller-manager",priority_level="workload-high"} 99',
  'apiserver_client_certificate_expiration_seconds_bucket{le="7.776e+06"} 4',
  'apiserver_client_certificate_expiration_seconds_bucket{le="1.5552e+07"} 4',
  'apiserver_client_certificate_expiration_seconds_bucket{le="3.1104e+07"} 700',
  'apiserver_longrunning_requests{component="apiserver",group="",resource="pods",scope="cluster",subresource="",verb="WATCH",version="v1"} 9',
  'process_start_time_seconds 1.79537e+09',
]

test('returns the same for a plane that only its own components use', () => {
  const before = useOf([QUIET])

  expect(useOf([withCounts({ exempt: 9999, 'kube-controller-manager': 200 })])).toEqual(before)
  expect(before.isBusy).toBe(false)
})

test.for([
  ['a user of a token', withCounts({ 'service-accounts': 1 })],
  ['a user of OpenID Connect', withCounts({ 'global-default': 1 })],
  ['a user with their own flow schema', withCounts({ 'of-the-team': 1 })],
  ['an administrator, whose certificates last a day', replaced('7.776e+06"} 4', '7.776e+06"} 5')],
  ['a start of the API server', replaced('1.79537e+09', '1.79538e+09')],
] as const)('changes after %s', ([, lines]) => {
  expect(useOf([lines]).mark).not.toBe(useOf([QUIET]).mark)
})

test('is busy while a user has a shell in a pod', () => {
  const shell =
    'apiserver_longrunning_requests{resource="pods",subresource="exec",verb="CONNECT"} 1'

  expect(useOf([[...QUIET, shell]]).isBusy).toBe(true)
})

test('combines all API servers in any order', () => {
  const [one, other] = [QUIET, withCounts({ 'global-default': 1 })]

  expect(useOf([one, other])).toEqual(useOf([other, one]))
  expect(useOf([one, one]).mark).not.toBe(useOf([one]).mark)
})

test.for([1, 7, 1000])(
  'keeps only the lines about use, in pieces of %s characters',
  async (size) => {
    const wanted = ['apiserver_request_total{verb="GET"} 7', 'process_start_time_seconds 1.7e+09']
    const [requests, started] = wanted
    const text = [
      '# HELP process_start_time_seconds Start time of the process',
      requests,
      'apiserver_request_duration_seconds_count{verb="GET"} 7',
      started,
    ].join('\n')
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []

    expect(await linesAboutUse(Readable.from(pieces))).toEqual(wanted)
  },
)

test.for([
  ['an object that was created', {}, true],
  ['one that was changed', { verb: 'PATCH', code: '200' }, true],
  ['one that was deleted', { verb: 'DELETE', code: '200' }, true],
  ['reading', { verb: 'LIST', code: '200' }, false],
  ['a refusal', { code: '403' }, false],
  ['a trial', { dry_run: 'All' }, false],
  ['the lease of a component', { group: 'coordination.k8s.io', resource: 'leases' }, false],
  ['a review of access', { group: 'authorization.k8s.io' }, false],
  ['an event', { resource: 'events' }, false],
  ['the token of a controller', { resource: 'serviceaccounts', subresource: 'token' }, false],
] as const)('says whether something was written: %s', ([, different, expected]) => {
  const created = { code: '201', dry_run: '', group: '', resource: 'pods', subresource: '' }
  const labels = Object.entries({ ...created, verb: 'POST', ...different })
  const line = `apiserver_request_total{${labels.map(([key, value]) => `${key}="${value}"`).join()}} 1`

  expect(useOf([[...QUIET, line]]).hasWrites).toBe(expected)
})

function withCounts(counts: Record<string, number>): string[] {
  const name = 'apiserver_flowcontrol_dispatched_requests_total'
  const others = QUIET.filter(
    (line) => !Object.keys(counts).some((schema) => line.includes(`"${schema}"`)),
  )
  const counted = Object.entries(counts).map(
    ([schema, count]) => `${name}{flow_schema="${schema}",priority_level="any"} ${count}`,
  )
  return [...others, ...counted]
}

function replaced(from: string, to: string): string[] {
  return QUIET.map((line) => line.replace(from, to))
}
