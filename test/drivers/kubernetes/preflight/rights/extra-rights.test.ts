import { expect, test } from 'vitest'
import type { UserSpec } from '../../../../../src/control-plane/spec/spec.ts'
import { withExtraRights } from '../../../../../src/drivers/kubernetes/preflight/rights/extra-rights.ts'
import { RecordingUi } from '../../../../support/driver/recording-ui.ts'
import { requestFor } from '../../fake-cluster.ts'
import { HostWithRules } from '../host-with-rules.ts'

const ADMIN = { apiGroups: ['', 'discovery.k8s.io'], resources: ['*'], verbs: ['get', 'list'] }

/** What a request says of the rights, and what the user is told. */
async function decided(userSpec: UserSpec, host = new HostWithRules()) {
  const ui = new RecordingUi()
  const spec = await withExtraRights(
    host,
    { place: { name: 'dev', namespace: 'team-a' }, spec: requestFor('dev', { userSpec }).spec },
    { signal: AbortSignal.timeout(5000), ui },
  )
  const { extraRights, metrics } = spec.host?.sync ?? {}
  return { extraRights, metrics, warnings: ui.warnings }
}

test('grants the syncer the rights that the user has', async () => {
  expect(await decided({ sync: {} })).toEqual({ extraRights: true, metrics: true, warnings: [] })
})

test('omits rights that the user may not grant, and warns', async () => {
  expect(await decided({ sync: {} }, new HostWithRules({ rules: [ADMIN] }))).toEqual({
    extraRights: false,
    metrics: false,
    warnings: [expect.stringMatching(/kubectl debug.*kubectl top/)],
  })
})

test('grants metrics where namespace administrators have that right', async () => {
  const rules = [ADMIN, { apiGroups: ['metrics.k8s.io'], resources: ['pods'], verbs: ['list'] }]

  expect(await decided({ sync: {} }, new HostWithRules({ rules }))).toEqual({
    extraRights: false,
    metrics: true,
    warnings: [expect.not.stringContaining('kubectl top')],
  })
})

test.for([true, false])('follows the spec: %s', async (said) => {
  const host = new HostWithRules({ rules: [] })

  expect(await decided({ sync: { extraRights: said, metrics: said } }, host)).toEqual({
    extraRights: said,
    metrics: said,
    warnings: [],
  })
})

test('decides nothing for a plane without a syncer', async () => {
  expect(await decided({})).toEqual({ extraRights: undefined, metrics: undefined, warnings: [] })
})
