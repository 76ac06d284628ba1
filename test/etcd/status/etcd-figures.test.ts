import { once } from 'node:events'
import { expect, test } from 'vitest'
import { etcdFigures } from '../../../src/etcd/status/etcd-figures.ts'
import type { EtcdConnection } from '../../../src/etcd/etcd-connection.ts'
import { memberMetrics } from '../../../src/etcd/status/member-metrics.ts'
import { gatewayThatAnswers } from '../gateway-that-answers.ts'

const { signal } = new AbortController()
const STATUS = {
  header: { member_id: '17', revision: '7' },
  leader: '17',
  dbSize: '40960',
  dbSizeInUse: '20480',
  dbSizeQuota: '81920',
}

async function silent(): Promise<EtcdConnection> {
  const { gateway } = await gatewayThatAnswers(200, STATUS)
  return { ...gateway, dial: () => Promise.reject(new Error('connection refused')) }
}

test('asks each member how it is, and one that works for the alarms of each and of any', async () => {
  const alarms = { alarms: [{ memberID: '17', alarm: 'NOSPACE' }, { alarm: 'CORRUPT' }] }
  const { gateway } = await gatewayThatAnswers(200, STATUS, alarms)

  const figures = await etcdFigures(
    [
      { instance: 'etcd-0', connection: await silent() },
      { instance: 'etcd-1', connection: gateway },
    ],
    signal,
  )

  expect(figures.members).toEqual([
    { instance: 'etcd-0', isWorking: false, isLeading: false },
    {
      instance: 'etcd-1',
      isWorking: true,
      isLeading: true,
      database: { sizeBytes: 40_960, inUseBytes: 20_480, quotaBytes: 81_920 },
      alarms: ['NOSPACE', 'CORRUPT'],
    },
  ])
})

test('knows no alarms while there is no majority', async () => {
  const { leader: _, ...alone } = STATUS
  const { gateway, requests } = await gatewayThatAnswers(200, alone)

  const { members } = await etcdFigures([{ instance: 'etcd-0', connection: gateway }], signal)

  expect(members).toMatchObject([{ isWorking: false, isLeading: false }])
  expect(members[0]).not.toHaveProperty('alarms')
  expect(requests).toHaveLength(1)
})

test('gives up a member that does not answer in time', async () => {
  const dial = async (stop: AbortSignal) => {
    await once(stop, 'abort')
    throw stop.reason
  }
  const connection = { ...(await silent()), dial }

  const { members } = await etcdFigures([{ instance: 'etcd-0', connection }], signal, 10)

  expect(members).toEqual([{ instance: 'etcd-0', isWorking: false, isLeading: false }])
})

test('refuses metrics with what the member says', async () => {
  const { gateway } = await gatewayThatAnswers(500, { message: 'it is too busy' })

  await expect(memberMetrics(gateway, signal)).rejects.toMatchObject({
    code: 'FAILED',
    message: 'etcd refused /metrics with status 500: it is too busy',
  })
})
