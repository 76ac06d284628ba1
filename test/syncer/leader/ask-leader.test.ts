import { expect, test } from 'vitest'
import { askLeader } from '../../../src/syncer/leader/ask-leader.ts'
import { startFakeApiServer } from '../../support/api/fake-api-server.ts'
import { MemoryHostApi } from '../../support/api/memory-host-api.ts'
import { SCOPE } from '../translate/some-objects.ts'

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/team-a/leases/vplane-dev-syncer'
const POD = '/api/v1/namespaces/team-a/pods/syncer-1'

/** Asks for a path where the host knows this of the leader. */
async function asked({ holder = 'syncer-1_b7', hasLease = true, podIP = '127.0.0.1' }) {
  await using leader = await startFakeApiServer(({ path, query, user }, response) => {
    response.end(`${path} ${Object.keys(query).join()} for ${user}`)
  })
  const host = new MemoryHostApi()
  const named = { apiVersion: '', kind: '', metadata: {} }
  host.put(LEASE, { ...named, spec: { holderIdentity: holder } })
  host.put(POD, { ...named, status: { podIP } })
  const { certificate, certificateAuthority, key, server } = leader.connection
  const ask = askLeader({
    host,
    scope: SCOPE,
    settings: { kubeletHost: 'localhost', leaseName: hasLease ? 'vplane-dev-syncer' : undefined },
    pki: {
      credentials: () => ({
        current: () => Promise.resolve({ certificateAuthority, certificate, key }),
        renew: () => Promise.resolve(false),
        denial: (refusal) => refusal,
      }),
    },
  })
  const kubelet = { port: Number(new URL(server).port), path: '/metrics/resource?leader' }
  return await ask(kubelet, AbortSignal.timeout(5000))
}

test('asks the pod that the Lease names, with the certificate of a syncer', async () => {
  expect(await asked({})).toEqual({ status: 200, body: '/metrics/resource leader for tester' })
})

test.for([
  ['nobody has the Lease', { holder: '' }],
  ['its pod is gone', { holder: 'syncer-2_b7' }],
  ['its pod has no address yet', { podIP: '' }],
  ['there is no Lease', { hasLease: false }],
] as const)('asks nobody when %s', async ([, known]) => {
  expect(await asked(known)).toBeUndefined()
})
