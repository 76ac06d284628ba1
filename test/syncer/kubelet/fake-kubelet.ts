import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { Patience } from '../../../src/kube/connection.ts'
import { PATIENCE } from '../../../src/kube/connection.ts'
import { createPeer } from '../../../src/kube/http/peer.ts'
import type { IssuedCertificate } from '../../../src/pki/issue/issue-certificate.ts'
import { type KubeletOptions, serveKubelet } from '../../../src/syncer/kubelet/serve-kubelet.ts'
import type { TlsServer } from '../../../src/syncer/tls/serve-tls.ts'
import type { Answerer, FakeApiServer, Upgrader } from '../../support/api/fake-api-server.ts'
import { startFakeApiServer } from '../../support/api/fake-api-server.ts'
import type { TestCertificates } from '../../support/test-certificates.ts'
import { createTestCertificates } from '../../support/test-certificates.ts'

export const CERTIFICATES: TestCertificates = createTestCertificates()

export const TLS = {
  certificate: CERTIFICATES.server.certificate,
  key: CERTIFICATES.server.key,
  authorities: CERTIFICATES.authority.certificate,
}

/** How the plane's kube-apiserver connects. */
export const CLIENT = {
  ca: CERTIFICATES.authority.certificate,
  cert: CERTIFICATES.client.certificate,
  key: CERTIFICATES.client.key,
}

export const MEGABYTE = 1024 * 1024

/** The virtual pod `team/web` as the host has it. */
const HOST_POD = {
  namespace: 'plane-dev',
  name: 'web-x-team-x-dev',
  uid: '11111111-aaaa',
  virtualUid: '22222222-bbbb',
  containers: ['app', ...Array.from({ length: 100 }, (_, index) => `c${index}`)],
}

/** The kubelet of a virtual node with the pod `team/web`, before a host in this process. */
export interface FakeKubelet extends AsyncDisposable {
  server: TlsServer
  host: FakeApiServer
}

export interface FakeKubeletOptions {
  /** @default every request is answered with nothing */
  answer?: Answerer
  /** @default the host agrees, and says nothing more */
  onUpgrade?: Upgrader
  patience?: Partial<Patience>
  options?: Partial<KubeletOptions>
}

export async function startKubelet({
  answer = (_, response) => void response.end(),
  onUpgrade = (_, socket) => agree(socket),
  options = {},
  patience = {},
}: FakeKubeletOptions = {}): Promise<FakeKubelet> {
  await using owned = new AsyncDisposableStack()
  const host = owned.use(await startFakeApiServer(answer, { onUpgrade }))
  const peer = owned.use(createPeer(host.connection, { ...PATIENCE, ...patience }))
  const server = owned.use(
    await serveKubelet({
      node: 'node-1',
      address: '127.0.0.1',
      port: 0,
      tls: TLS,
      clientName: 'tester',
      locate: ({ name, namespace }) =>
        namespace === 'team' && name === 'web' ? HOST_POD : undefined,
      host: peer,
      ...options,
    }),
  )
  const moved = owned.move()
  return { server, host, [Symbol.asyncDispose]: () => moved.disposeAsync() }
}

export interface Asked {
  method?: string
  headers?: Record<string, string | string[]>
  /** @default the one that is expected */
  identity?: IssuedCertificate | undefined
}

/** Sends a request to a kubelet as the plane's kube-apiserver. */
export function send({ server }: FakeKubelet, path: string, asked: Asked = {}) {
  const identity = 'identity' in asked ? asked.identity : CERTIFICATES.client
  const options = {
    host: '127.0.0.1',
    port: server.port,
    path,
    method: asked.method ?? 'GET',
    agent: false as const,
    headers: asked.headers ?? {},
    ca: CLIENT.ca,
    ...(identity !== undefined && { cert: identity.certificate, key: identity.key }),
    allowHalfOpen: true,
  }
  const request = httpsRequest(options)
  request.on('error', () => {})
  return request
}

/** An answer to a request as soon as it begins. */
export async function answerTo(kubelet: FakeKubelet, path: string, asked: Asked = {}) {
  const request = send(kubelet, path, asked)
  request.end()
  const [response]: IncomingMessage[] = await once(request, 'response')
  if (response === undefined) {
    throw new Error('no answer')
  }
  return response
}

/** The whole answer to a request. */
export async function ask(kubelet: FakeKubelet, path: string, asked: Asked = {}) {
  const response = await answerTo(kubelet, path, asked)
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

/** A connection that has changed its protocol. */
export interface Changed extends Disposable {
  socket: Socket
  headers: IncomingHttpHeaders
}

const SPDY = {
  connection: 'Upgrade',
  upgrade: 'SPDY/3.1',
  'x-stream-protocol-version': ['v5.channel.k8s.io', 'v4.channel.k8s.io'],
}

/** Changes the protocol with a kubelet; the answer when it refuses. */
export async function change(
  kubelet: FakeKubelet,
  path: string,
  { headers = {}, method = 'POST', ...asked }: Asked = {},
): Promise<Changed> {
  const request = send(kubelet, path, { ...asked, method, headers: { ...SPDY, ...headers } })
  const { promise, reject, resolve } = Promise.withResolvers<Changed>()
  request.on('upgrade', ({ headers }, socket) => {
    socket.on('error', () => {})
    resolve({ socket, headers, [Symbol.dispose]: () => void socket.destroy() })
  })
  request.on('response', async (answer) => {
    const { headers, statusCode: status } = answer
    const body = await text(answer)
    reject(Object.assign(new Error(`${status}: ${body}`), { status, body, headers }))
  })
  request.on('error', reject)
  request.end()
  return promise
}

/** Answers a change of the protocol as the host does. */
export function agree(socket: { write(text: string): unknown }, first = ''): void {
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\nAudit-Id: secret\r\n\r\n${first}`,
  )
}

/** Writes megabytes as fast as they are taken, and counts. */
export async function writeMuch(
  writable: Writable,
  count: (megabytes: number) => void = () => {},
  total = 200,
): Promise<void> {
  for (let written = 0; written < total && !writable.destroyed; written += 1) {
    await new Promise((resolve) => writable.write(Buffer.alloc(MEGABYTE, 'x'), resolve))
    count(written)
  }
}

/** Reads to the end, the first megabyte slowly, and tells how many bytes there were. */
export async function readSlowly(readable: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0
  for await (const chunk of readable) {
    bytes += chunk.length
    if (bytes < MEGABYTE) {
      await delay(5)
    }
  }
  return bytes
}
