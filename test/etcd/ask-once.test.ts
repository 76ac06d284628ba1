import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { askOnce } from '../../src/etcd/ask-once.ts'
import { rejectionOf } from '../support/thrown-by.ts'

const REQUEST = { body: Buffer.alloc(0), path: '/etcdserverpb.KV/Range' }

test('gives a server up that accepts a connection and answers nothing', async () => {
  const connection = await silentServer()
  const { signal } = new AbortController()

  const error = await rejectionOf(askOnce(connection, { ...REQUEST, answerMs: 100, signal }))

  expect(error).toMatchObject({ code: 'UNREACHABLE' })
  expect(error.message).toBe('etcd of "dev" does not answer: no answer within 0.1 s')
})

test('ends with the reason of its caller', async () => {
  const connection = await silentServer()
  const reason = new Error('enough')

  const asked = askOnce(connection, { ...REQUEST, signal: AbortSignal.abort(reason) })

  await expect(asked).rejects.toBe(reason)
})

async function silentServer() {
  const server = createServer((socket) => socket.on('error', () => {}).resume())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  expect.assert(typeof address === 'object' && address !== null)
  return {
    what: 'etcd of "dev"',
    dial: () => Promise.resolve(connect(address.port, '127.0.0.1')),
    certificateAuthority: '',
    certificate: '',
    key: '',
  }
}
