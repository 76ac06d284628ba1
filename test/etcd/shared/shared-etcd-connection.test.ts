import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { sharedEtcdConnection } from '../../../src/etcd/shared/shared-etcd-connection.ts'
import { freePort } from '../../support/machine/free-port.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const NEVER = new AbortController().signal
const CREDENTIALS = { certificate: '', certificateAuthority: '', key: '' }

test('takes the first member that accepts a connection, and expects its name', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const endpoints = [`https://127.0.0.1:${await freePort()}`, `https://127.0.0.1:${port}`]

  const connection = await sharedEtcdConnection(endpoints, CREDENTIALS, NEVER)

  expect(connection).toMatchObject({
    what: `etcd at ${endpoints[1]}`,
    serverName: '127.0.0.1',
    hasGateway: false,
  })
})

test('names all members when none does', async () => {
  const endpoints = [`https://127.0.0.1:${await freePort()}`, `https://[::1]:${await freePort()}`]

  const error = await rejectionOf(sharedEtcdConnection(endpoints, CREDENTIALS, NEVER))

  expect(error).toMatchObject({ code: 'UNREACHABLE' })
  expect(error.message).toContain(endpoints[0])
  expect(error.message).toContain(endpoints[1])
})
