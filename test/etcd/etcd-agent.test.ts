import type { Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import { etcdAgent } from '../../src/etcd/etcd-agent.ts'
import { memberStatus } from '../../src/etcd/status/member-status.ts'
import { gatewayThatAnswers } from './gateway-that-answers.ts'

const { signal } = new AbortController()
const STATUS = { header: { member_id: '17', revision: '7' } }

test('keeps the connection for the next request, and opens another when it breaks', async () => {
  const { gateway } = await gatewayThatAnswers(200, STATUS)
  const opened: Duplex[] = []
  const dial: typeof gateway.dial = async (...how) => {
    const stream = await gateway.dial(...how)
    opened.push(stream)
    return stream
  }
  const agent = etcdAgent({ ...gateway, dial })
  using _agent = { [Symbol.dispose]: () => agent.destroy() }
  const connection = { ...gateway, dial, agent }

  await memberStatus(connection, signal)
  expect(await memberStatus(connection, signal)).toMatchObject({ id: '17', revision: 7 })
  expect(opened).toHaveLength(1)

  opened[0]?.destroy()
  expect(await memberStatus(connection, signal)).toMatchObject({ id: '17' })
  expect(opened.length).toBeGreaterThan(1)
})

test('says that a member whose connection cannot be opened is not reachable', async () => {
  const { gateway } = await gatewayThatAnswers(200, STATUS)
  const dial = () => Promise.reject(new Error('connection refused'))
  const connection = { ...gateway, dial, agent: etcdAgent({ ...gateway, dial }) }

  await expect(memberStatus(connection, signal)).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: 'cannot reach etcd: connection refused',
  })
})
