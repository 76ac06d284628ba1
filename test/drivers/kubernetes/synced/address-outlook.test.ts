import { expect, test } from 'vitest'
import { addressOutlook } from '../../../../src/drivers/kubernetes/synced/address-outlook.ts'
import { serviceAddresses } from '../../../../src/drivers/kubernetes/synced/synced-objects.ts'
import { MemoryHostApi, refusal } from '../../../support/api/memory-host-api.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { FakeCluster, putObject } from '../fake-cluster.ts'

const { signal } = new AbortController()
const CIDRS = '/apis/networking.k8s.io/v1/servicecidrs'
const API = { name: 'default/kubernetes', address: '10.96.7.9' }
const WEB = { name: 'default/web', address: '10.96.3.4' }

test('knows what addresses Services of a plane have, the one of its API first', async () => {
  const cluster = new FakeCluster()
  const spec = { clusterIP: API.address }
  putObject(cluster.api, ['Service', { name: 'vplane-dev-api' }], { spec })
  cluster.putSynced('dev', ['services', 'web'], { spec: { clusterIP: WEB.address } })
  cluster.putSynced('dev', ['services', 'headless'], { spec: { clusterIP: 'None' } })
  cluster.putSynced('other', ['services', 'another'], { spec: { clusterIP: '10.96.3.5' } })

  const place = { name: 'dev', namespace: 'team-a' }

  expect(await serviceAddresses(cluster.api, place, signal)).toEqual([API, WEB])
})

test.for([
  ['10.96.0.0/16', []],
  ['10.96.0.0/21', []],
  ['10.96.0.0/22', [{ ...API, why: 'is not in 10.96.0.0/22' }]],
] as const)('loses only what is outside of the range %s of the host', async ([range, lost]) => {
  expect(await outlook(hostOf(range))).toEqual({ lost })
})

test('loses what others have', async () => {
  const api = hostOf('10.96.0.0/16')
  const spec = { clusterIP: WEB.address }
  putObject(api, ['Service', { name: 'theirs', namespace: 'team-b' }], { spec })

  expect(await outlook(api)).toEqual({
    lost: [{ ...WEB, why: 'belongs to Service "theirs" in namespace "team-b"' }],
  })
})

test('says what it cannot tell who may not look at others', async () => {
  const api = new MemoryHostApi({
    onRequest: ({ path, verb }) => {
      if (path === CIDRS || path === '/api/v1/services') {
        throw refusal(403, 'forbidden')
      }
      if (verb === 'create') {
        throw path.includes('/missing/')
          ? refusal(404, 'namespaces "missing" not found')
          : refusal(422, 'the range of valid IPs is 10.112.0.0/16')
      }
    },
  })

  const { doubt, lost } = await outlook(api, 'missing')

  expect(lost.map(({ name, why }) => [name, why])).toEqual([
    ['default/kubernetes', 'is not in 10.112.0.0/16'],
    ['default/web', 'is not in 10.112.0.0/16'],
  ])
  expect(doubt).toBe('you may not list the Services of others there')
})

test('names both doubts of someone who may read nothing', async () => {
  const api = new MemoryHostApi(refusing(403, 'forbidden'))

  expect((await outlook(api)).doubt).toBe(
    'the host does not report which range they must be in, and you may not list the Services of others there',
  )
})

function outlook(api: MemoryHostApi, namespace = 'team-b') {
  return addressOutlook(api, { addresses: [API, WEB], namespace, signal })
}

function hostOf(range: string): MemoryHostApi {
  const api = new MemoryHostApi()
  const items = [{ spec: { cidrs: [range] } }]
  api.put(CIDRS, { apiVersion: 'v1', kind: 'List', metadata: {}, items })
  return api
}
