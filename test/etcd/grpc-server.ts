import { once } from 'node:events'
import { createSecureServer, type Http2ServerResponse, type ServerHttp2Session } from 'node:http2'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished } from 'vitest'
import type { EtcdConnection } from '../../src/etcd/etcd-connection.ts'
import { createTestCertificates } from '../support/test-certificates.ts'

const PREFIX_BYTES = 5

/** What a procedure answers, after which the call ends. */
export interface GrpcAnswer {
  messages?: readonly Buffer[]
  /** Bytes that come one after the other in this size. @default all at once */
  chunkBytes?: number
  /** @default 0, which is well */
  status?: number
  words?: string
  /** The connection is cut instead of a status. @default false */
  isCut?: boolean
}

/** The answer to a request message. */
export type AnswerTo = (path: string, body: Buffer) => GrpcAnswer

/**
 * A member of etcd that speaks gRPC, to clients of its own CA alone, until the test ends; and as its gateway to anybody who
 * asks for its revision.
 */
export async function grpcServer(answer: GrpcAnswer | AnswerTo) {
  const { authority, client, server: own } = createTestCertificates()
  const asked: string[] = []
  const server = createSecureServer({
    cert: own.certificate,
    key: own.key,
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: true,
    allowHTTP1: true,
  })
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('error', () => {})
  })
  server.on('request', (request, response) => {
    asked.push(request.url)
    if (request.httpVersionMajor === 1) {
      response.end('{"header":{"revision":"42"}}')
    } else {
      response.stream.on('error', () => {})
      void buffer(request).then((body) => {
        const message = body.subarray(PREFIX_BYTES)
        const given = typeof answer === 'function' ? answer(request.url, message) : answer
        return send(response, given)
      })
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    sessions.forEach((session) => session.destroy())
    server.close()
  })
  const address = server.address()
  expect.assert(typeof address === 'object' && address !== null)
  const { port } = address
  const connection: EtcdConnection = {
    what: 'etcd of "dev"',
    dial: () => Promise.resolve(connect(port, '127.0.0.1')),
    certificateAuthority: authority.certificate,
    certificate: client.certificate,
    key: client.key,
  }
  return { asked, connection }
}

async function send(response: Http2ServerResponse, answer: GrpcAnswer): Promise<void> {
  const { isCut = false, messages, status = 0, words = '' } = answer
  const end = { 'grpc-status': String(status), 'grpc-message': words }
  if (messages === undefined) {
    response.writeHead(200, end).end()
    return
  }
  response.writeHead(200, { 'content-type': 'application/grpc' })
  const bytes = Buffer.concat(messages.flatMap((message) => [prefixOf(message), message]))
  const size = answer.chunkBytes ?? bytes.length
  for (let at = 0; at < bytes.length; at += size) {
    await new Promise<void>((resolve) => {
      response.write(bytes.subarray(at, at + size), () => resolve())
    })
  }
  if (isCut) {
    response.stream.session?.destroy()
  } else {
    response.addTrailers(end)
    response.end()
  }
}

function prefixOf(message: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.writeUInt32BE(message.length, 1)
  return prefix
}
