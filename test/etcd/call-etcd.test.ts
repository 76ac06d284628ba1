import { duplexPair } from 'node:stream'
import { expect, test } from 'vitest'
import { callEtcd } from '../../src/etcd/call-etcd.ts'
import { createTestCertificates } from '../support/test-certificates.ts'
import { rejectionOf } from '../support/thrown-by.ts'
import { type GrpcAnswer, grpcServer } from './grpc-server.ts'

const { signal } = new AbortController()
const MESSAGES = ['one', '', 'three'.repeat(5000)].map((text) => Buffer.from(text))

test.for([undefined, 1, 7])('reads all messages, in chunks of %s bytes', async (chunkBytes) => {
  const some = chunkBytes === undefined ? MESSAGES : MESSAGES.map((one) => one.subarray(0, 30))

  const found = await messagesOf({
    messages: some,
    ...(chunkBytes === undefined ? {} : { chunkBytes }),
  })

  expect(found.map(String)).toEqual(some.map(String))
})

test.for([
  ['at once', { status: 9, words: 'etcdserver: no%20leader' }, 'etcdserver: no leader'],
  ['at the end', { status: 12, messages: MESSAGES }, 'status 12'],
] as const)('says what etcd says when it refuses %s', async ([, answer, words]) => {
  const failure = await rejectionOf(messagesOf(answer))

  expect(failure).toMatchObject({ code: 'FAILED' })
  expect(failure.message).toBe(`etcd of "dev" refused /etcd/Procedure: ${words}`)
})

test('does not take a connection that is cut for an end', async () => {
  const failure = await rejectionOf(messagesOf({ messages: MESSAGES, isCut: true }))

  expect(failure).toMatchObject({ code: 'UNREACHABLE' })
  expect(failure.message).toBe('etcd of "dev" closed the connection')
})

test('trusts no server but those of its own CA', async () => {
  const { asked, connection } = await grpcServer({ messages: MESSAGES })
  const { certificate: certificateAuthority } = createTestCertificates().authority
  const call = callEtcd(
    { ...connection, certificateAuthority },
    { path: '/etcd/Procedure', signal },
  )

  const failure = await rejectionOf(Array.fromAsync(call))

  expect(failure.code).toBe('UNREACHABLE')
  expect(asked).toEqual([])
})

test('ends when nobody waits for it any more', async () => {
  const abort = new AbortController()
  const { connection } = await grpcServer({ messages: MESSAGES })
  const call = callEtcd(connection, { path: '/etcd/Procedure', signal: abort.signal })

  await call.next()
  abort.abort()

  await expect(Array.fromAsync(call)).rejects.toThrow()
})

test('waits for no server that accepts a connection and answers nothing', async () => {
  const { connection } = await grpcServer({})
  const abort = new AbortController()
  const [near] = duplexPair()
  const dial = () => {
    setImmediate(() => abort.abort())
    return Promise.resolve(near)
  }
  const options = { path: '/etcd/Procedure', signal: abort.signal }

  await expect(Array.fromAsync(callEtcd({ ...connection, dial }, options))).rejects.toThrow()
})

async function messagesOf(answer: GrpcAnswer): Promise<Buffer[]> {
  const { connection } = await grpcServer(answer)
  return Array.fromAsync(callEtcd(connection, { path: '/etcd/Procedure', signal }))
}
