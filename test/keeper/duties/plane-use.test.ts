import { expect, test } from 'vitest'
import { isAboutUse, useOf } from '../../../src/keeper/duties/plane-use.ts'

/** As a kube-apiserver prints them, among ten thousand lines of others. */
const QUIET = [
  'apiserver_flowcontrol_dispatched_requests_total{flow_schema="exempt",priority_level="exempt"} 512',
  'apiserver_flowcontrol_dispatched_requests_total{flow_schema="kube-controller-manager",priority_level="workload-high"} 99',
  'apiserver_client_certificate_expiration_seconds_bucket{le="7.776e+06"} 4',
  'apiserver_client_certificate_expiration_seconds_bucket{le="1.5552e+07"} 4',
  'apiserver_client_certificate_expiration_seconds_bucket{le="3.1104e+07"} 700',
  'apiserver_longrunning_requests{component="apiserver",group="",resource="pods",scope="cluster",subresource="",verb="WATCH",version="v1"} 9',
  'process_start_time_seconds 1.79537e+09',
]

test('says the same of a plane whose own components go on working', () => {
  const before = useOf([QUIET])

  expect(useOf([withCounts({ exempt: 9999, 'kube-controller-manager': 200 })])).toEqual(before)
  expect(before.isBusy).toBe(false)
})

test.for([
  ['a user of a token', withCounts({ 'service-accounts': 1 })],
  ['a user of OpenID Connect', withCounts({ 'global-default': 1 })],
  ['somebody with a flow schema of their own', withCounts({ 'of-the-team': 1 })],
  ['an administrator, whose certificates are of a day', replaced('7.776e+06"} 4', '7.776e+06"} 5')],
  ['a start of the API server', replaced('1.79537e+09', '1.79538e+09')],
] as const)('says another thing after %s', ([, lines]) => {
  expect(useOf([lines]).mark).not.toBe(useOf([QUIET]).mark)
})

test('is busy while somebody is in a pod', () => {
  const shell =
    'apiserver_longrunning_requests{resource="pods",subresource="exec",verb="CONNECT"} 1'

  expect(useOf([[...QUIET, shell]]).isBusy).toBe(true)
})

test('takes all API servers together, in whatever order', () => {
  const [one, other] = [QUIET, withCounts({ 'global-default': 1 })]

  expect(useOf([one, other])).toEqual(useOf([other, one]))
  expect(useOf([one, one]).mark).not.toBe(useOf([one]).mark)
})

test.for([
  ['process_start_time_seconds 1.7e+09', true],
  ['apiserver_request_total{verb="GET"} 7', false],
  ['# HELP process_start_time_seconds Start time of the process', false],
] as const)('takes from the metrics what %s', ([line, isMeant]) => {
  expect(isAboutUse(line)).toBe(isMeant)
})

/** The same with other counts of flow schemas. */
function withCounts(counts: Record<string, number>): string[] {
  const name = 'apiserver_flowcontrol_dispatched_requests_total'
  const others = QUIET.filter(
    (line) => !Object.keys(counts).some((schema) => line.includes(`"${schema}"`)),
  )
  const said = Object.entries(counts).map(
    ([schema, count]) => `${name}{flow_schema="${schema}",priority_level="any"} ${count}`,
  )
  return [...others, ...said]
}

function replaced(from: string, to: string): string[] {
  return QUIET.map((line) => line.replace(from, to))
}
