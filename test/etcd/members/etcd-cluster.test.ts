import { expect, test } from 'vitest'
import {
  etcdCluster,
  leadingOrdinal,
  workingOrdinals,
} from '../../../src/etcd/members/etcd-cluster.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { etcdConnection, type EtcdGateway, etcdGateway } from '../../support/etcd-gateway.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const { signal } = new AbortController()

test('asks a member that works when the first one is broken', async () => {
  const { cluster } = await clusterOf('broken', 'follows', 'leads')

  const probed = await cluster.probe(signal)

  expect(workingOrdinals(probed)).toEqual([1, 2])
  expect(leadingOrdinal(probed)).toBe(2)
  expect(probed.members?.[0]).toMatchObject({ id: '10', ordinal: 0 })
})

test.for([
  ['broken', 'broken'],
  ['lonely', 'broken'],
  ['copies', 'lonely'],
] as const)('has nobody to ask among %j', async (members) => {
  const { cluster } = await clusterOf(...members)

  const error = await rejectionOf(cluster.speaker(signal))

  expect(error.code).toBe('UNREACHABLE')
  expect(error.message).toContain('no member of etcd of "dev" knows a leader')
  expect(error.hints).toEqual(['vplane repair dev'])
})

test('asks another member than the one that was asked before', async () => {
  const { cluster } = await clusterOf('leads', 'follows')

  expect(await cluster.speaker(signal, cluster.at(0))).toMatchObject({ what: 'member 1' })
  await expect(cluster.speaker(signal, cluster.at(1))).resolves.toMatchObject({ what: 'member 0' })
})

test('says how each member is, in its place', async () => {
  const { cluster } = await clusterOf('lonely', 'broken', 'copies')

  const { statuses, ...shared } = await cluster.probe(signal)

  expect(statuses.map((one) => one?.id)).toEqual(['10', undefined, '12'])
  expect(statuses[0]?.leader).toBeUndefined()
  expect(statuses[2]?.isLearner).toBe(true)
  expect(shared).toEqual({ alarms: [] })
})

type Condition = 'leads' | 'follows' | 'lonely' | 'copies' | 'broken'

/** An etcd whose members are in these conditions; the last one that leads is known to those that follow. */
async function clusterOf(...conditions: readonly Condition[]) {
  const idOf = (ordinal: number) => String(10 + ordinal)
  const leader = idOf(conditions.lastIndexOf('leads'))
  const members = conditions.map((_, ordinal) => ({
    ID: idOf(ordinal),
    name: `vplane-dev-etcd-${ordinal}`,
    peerURLs: [peerUrlOf(ordinal)],
  }))
  const gateways = await Promise.all(
    conditions.map((condition, ordinal): Promise<EtcdGateway> => {
      const header = { member_id: idOf(ordinal), revision: '7' }
      const knows = condition === 'leads' || condition === 'follows'
      const status = {
        header,
        ...(knows ? { leader } : {}),
        ...(condition === 'copies' ? { isLearner: true } : {}),
      }
      return etcdGateway((path) => [200, path.endsWith('/status') ? status : { members }])
    }),
  )
  const cluster = etcdCluster({
    what: 'etcd of "dev"',
    count: () => conditions.length,
    peerUrl: peerUrlOf,
    hints: ['vplane repair dev'],
    at: (ordinal) =>
      etcdConnection(`member ${ordinal}`, () =>
        conditions[ordinal] === 'broken'
          ? Promise.reject(new VplaneError('UNREACHABLE', `${ordinal} does not run`))
          : (gateways[ordinal]?.dial() ?? Promise.reject(new Error(`no ${ordinal}`))),
      ),
  })
  return { cluster }
}

function peerUrlOf(ordinal: number): string {
  return `https://member-${ordinal}:2380`
}
