import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { askHost, reportRefusal } from '../../../src/syncer/events/refusals.ts'
import type { Report } from '../../../src/syncer/events/reporter.ts'
import { refusal } from '../../support/memory-host-api.ts'
import { SCOPE, virtualObject } from '../translate/some-objects.ts'

const POD = virtualObject('Pod')

test('says in an Event why the host is not asked', async () => {
  const { options, reports } = recording()

  await reportRefusal(options, POD, { refusals: ['spec.a is wrong', 'spec.b too'] })

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
] as const)('passes a %i of the host on, of which it says %j', async ([status, said]) => {
  const { options, reports } = recording()
  const error = refusal(status, 'exceeded quota')

  await expect(askHost(options, POD, () => Promise.reject(error))).rejects.toBe(error)
  expect(reports.map(({ reason }) => reason)).toEqual(said)
})

test('says what the host says in the words of the plane', async () => {
  const { options, reports } = recording()
  const said = 'pods "web-x-shop-x-dev" is forbidden: no "keys-x-shop-x-dev" in "team-a"'

  await askHost(options, POD, () => Promise.reject(refusal(403, said))).catch(() => {})

  const message = 'refused by the host cluster: pods "web" is forbidden: no "keys" in "shop"'
  expect(reports).toMatchObject([{ message }])
})

function recording() {
  const reports: Report[] = []
  const report = async (_: KubeObject, one: Report) => void reports.push(one)
  return { reports, options: { scope: SCOPE, reporter: { report } } }
}
