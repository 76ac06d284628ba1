import { createServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { ETCD_CLIENT_FILES, type EtcdConnection } from '../../src/etcd/etcd-connection.ts'
import { createEtcdPki } from '../../src/pki/plane/etcd-pki.ts'
import { listenOnLoopback } from './api/fake-api-server.ts'

/** The certificates of an etcd in tests. */
export const ETCD_FILES = createEtcdPki({
  algorithm: 'ecdsa',
  now: new Date(),
  memberSans: ['localhost'],
})

/** A way to a member that shows the client certificate of `ETCD_FILES`. */
export function etcdConnection(what: string, dial: EtcdConnection['dial']): EtcdConnection {
  return {
    what,
    dial,
    certificateAuthority: ETCD_FILES[ETCD_CLIENT_FILES.certificateAuthority] ?? '',
    certificate: ETCD_FILES[ETCD_CLIENT_FILES.certificate] ?? '',
    key: ETCD_FILES[ETCD_CLIENT_FILES.key] ?? '',
  }
}

/** What a member answers: a status and JSON. */
export type EtcdAnswer = readonly [status: number, answer: object]

/** A member's gateway that takes etcd's client certificates alone, until the test ends. */
export interface EtcdGateway {
  dial: () => Promise<Socket>
  /** What was asked, each with its body. */
  requests: Array<readonly [path: string, body: unknown]>
}

/** @param files its certificates, as `pki/` names them. @default `ETCD_FILES` */
export async function etcdGateway(
  answerTo: (path: string, body: unknown) => EtcdAnswer,
  files: Readonly<Record<string, string>> = ETCD_FILES,
): Promise<EtcdGateway> {
  const requests: EtcdGateway['requests'] = []
  const server = createServer({
    cert: files['etcd/server.crt'],
    key: files['etcd/server.key'],
    ca: files['etcd/ca.crt'],
    requestCert: true,
    rejectUnauthorized: true,
  })
  server.on('request', async (request, response) => {
    const path = request.url ?? ''
    // The client may give up before it has the whole answer.
    const sent = await text(request).catch(() => undefined)
    if (sent === undefined) {
      return
    }
    const body: unknown = sent === '' ? undefined : JSON.parse(sent)
    requests.push([path, body])
    const [status, answer] = answerTo(path, body)
    response.writeHead(status).end(JSON.stringify(answer))
  })
  const port = await listenOnLoopback(server)
  onTestFinished(() => void server.close())
  return { dial: () => Promise.resolve(connect(port, '127.0.0.1')), requests }
}
