import { expect, test } from 'vitest'
import { memberStatus } from '../../../src/etcd/status/member-status.ts'
import { changeMembership } from '../../../src/etcd/members/change-membership.ts'
import { listMembers, moveLeader } from '../../../src/etcd/members/members.ts'
import type { EtcdConnection } from '../../../src/etcd/etcd-connection.ts'
import { etcdConnection, etcdGateway } from '../../support/etcd-gateway.ts'
import { rejectionOf } from '../../support/thrown-by.ts'
import { gatewayThatAnswers } from '../gateway-that-answers.ts'

const { signal } = new AbortController()

const clusterWith = (gateway: EtcdConnection) => ({
  at: () => gateway,
  speaker: async () => gateway,
  peerUrl: () => 'https://b:2380',
})

const ADDS = { kind: 'add-member', ordinal: 1 } as const

test('reads members, with what the gateway leaves out', async () => {
  const { gateway, requests } = await gatewayThatAnswers(200, {
    members: [
      { ID: '17', name: 'etcd-0', peerURLs: ['https://a:2380'], clientURLs: [] },
      { ID: '18', peerURLs: ['https://b:2380'], isLearner: true },
    ],
  })

  expect(await listMembers(gateway, signal)).toEqual([
    { id: '17', name: 'etcd-0', peerUrls: ['https://a:2380'], isLearner: false },
    { id: '18', name: '', peerUrls: ['https://b:2380'], isLearner: true },
  ])
  expect(requests).toEqual([['/v3/cluster/member/list', { linearizable: true }]])
})

test('adds a member as a learner, and moves the lead once it has waited for a lull', async () => {
  const { gateway, requests } = await gatewayThatAnswers(200, {})

  await changeMembership(clusterWith(gateway), ADDS, signal)
  await changeMembership(clusterWith(gateway), { kind: 'move-leader', from: 0, id: '18' }, signal)

  expect(requests).toEqual([
    ['/v3/cluster/member/add', { peerURLs: ['https://b:2380'], isLearner: true }],
    ['/v3/watch', { create_request: { key: 'AA==', range_end: 'AA==' } }],
    ['/v3/maintenance/transfer-leadership', { targetID: '18' }],
  ])
})

test('moves the lead of an etcd that reports no writes', async () => {
  const { dial, requests } = await etcdGateway((path) => [path === '/v3/watch' ? 503 : 200, {}])

  await moveLeader(etcdConnection('etcd', dial), '18', signal)

  expect(requests.at(-1)?.[0]).toBe('/v3/maintenance/transfer-leadership')
})

test('moves the lead of none that has lost it meanwhile, and says what else etcd refuses', async () => {
  const says = async (message: string) => {
    const { dial } = await etcdGateway((path) => [path === '/v3/watch' ? 200 : 400, { message }])
    return moveLeader(etcdConnection('etcd', dial), '18', signal)
  }

  await expect(says('etcdserver: not leader')).resolves.toBeUndefined()
  await expect(says('etcdserver: bad leader transferee')).rejects.toThrow('bad leader transferee')
})

test('moves no lead any more when nobody waits for it', async () => {
  const stop = new AbortController()
  const { dial, requests } = await etcdGateway(() => {
    stop.abort(new Error('stopped'))
    return [200, {}]
  })

  const moving = moveLeader(etcdConnection('etcd', dial), '18', stop.signal)

  await expect(moving).rejects.toThrow('stopped')
  expect(requests).toHaveLength(1)
})

const HEADER = { member_id: '17', revision: '42' }

test.for([
  [
    { leader: '17', dbSize: '900', dbSizeQuota: '1000' },
    { leader: '17', quotaBytes: 1000 },
  ],
  [{ leader: '0', dbSize: '900' }, {}],
  [{ dbSize: '900', isLearner: true }, { isLearner: true }],
] as const)('reads how a member is from %j', async ([answer, wanted]) => {
  const { gateway } = await gatewayThatAnswers(200, { header: HEADER, ...answer })

  const status = await memberStatus(gateway, signal)

  expect(status).toEqual({
    id: '17',
    revision: 42,
    isLearner: false,
    databaseBytes: 900,
    inUseBytes: 0,
    ...wanted,
  })
})

test('asks another member when the first one counts too many as lost', async () => {
  const unhealthy = await gatewayThatAnswers(503, { message: 'etcdserver: unhealthy cluster' })
  const healthy = await gatewayThatAnswers(200, {})
  const speaker = async (_: AbortSignal, except?: EtcdConnection) =>
    except === unhealthy.gateway ? healthy.gateway : unhealthy.gateway

  await changeMembership({ ...clusterWith(unhealthy.gateway), speaker }, ADDS, signal)

  expect(healthy.requests).toEqual(unhealthy.requests)
  expect(healthy.requests).toHaveLength(1)
})

test('says what etcd says of a cluster that is not healthy', async () => {
  const { gateway } = await gatewayThatAnswers(503, { message: 'etcdserver: unhealthy cluster' })

  const error = await rejectionOf(changeMembership(clusterWith(gateway), ADDS, signal))

  expect(error.code).toBe('FAILED')
  expect(error.message).toContain('with status 503: etcdserver: unhealthy cluster')
})
