import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DebugResult } from '../../../src/commands/debug.ts'
import type { Ports } from '../../../src/drivers/local/store/plane-record.ts'
import { type Cli, createCli } from '../../support/cli/cli.ts'
import { filesOfArchive, readableIn, textOfArchive } from '../../support/data/debug-archive.ts'
import { createTestCertificates } from '../../support/test-certificates.ts'

const SECRET = 'hunter2-of-a-test'

interface Answer {
  status: number
  body: string
}

describe('what anybody on this machine can reach of a plane', () => {
  const { client } = createTestCertificates()
  let cli: Cli
  let ports: Ports
  const stranger = { cert: client.certificate, key: client.key }

  beforeAll(async () => {
    cli = await createCli()
    await cli.ok(['create', 'dev', '--connect'])
    ;({ ports } = JSON.parse(readFileSync(cli.plane('dev').record, 'utf8')))
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test.for(['/livez', '/readyz', '/healthz'])('tells everybody its health at %s', async (path) => {
    expect(await get(ports.apiServer, path)).toEqual({ status: 200, body: 'ok' })
  })

  test.for([
    '/',
    '/api',
    '/api/v1/namespaces',
    '/api/v1/namespaces/kube-system/secrets',
    '/apis',
    '/version',
    '/metrics',
    '/openapi/v3',
    '/logs',
    '/debug/pprof/',
    '/livez/etcd',
    '/healthz/../api',
  ])('refuses %s to who does not say who it is', async (path) => {
    expect(await get(ports.apiServer, path)).toMatchObject({ status: 401 })
  })

  test.for([
    ['a certificate of another CA', () => stranger],
    ['a token', () => ({ headers: { authorization: 'Bearer abc' } })],
    [
      'the headers of a front proxy',
      () => ({ headers: { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' } }),
    ],
    [
      'the headers of a front proxy, and a certificate of another CA',
      () => ({
        ...stranger,
        headers: { 'x-remote-user': 'a', 'x-remote-group': 'system:masters' },
      }),
    ],
    ['impersonation', () => ({ headers: { 'impersonate-user': 'system:admin' } })],
  ] as const)('refuses a request with %s', async ([_what, options]) => {
    expect(await get(ports.apiServer, '/api/v1/secrets', options())).toMatchObject({ status: 401 })
  })

  test('lets nobody delete or write without a credential', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(
        await get(ports.apiServer, '/api/v1/namespaces/default/configmaps', { method }),
      ).toMatchObject({ status: 401 })
    }
  })

  test.for([
    ['its clients', 'etcdClient', '/version', {}],
    ['its clients, with a certificate of another CA', 'etcdClient', '/version', stranger],
    ['its clients, for their health', 'etcdClient', '/health', {}],
    ['its peers', 'etcdPeer', '/members', {}],
    ['its peers, with a certificate of another CA', 'etcdPeer', '/members', stranger],
  ] as const)('gets nothing from etcd at the port for %s', async ([_what, port, path, options]) => {
    await expect(get(ports[port], path, options)).rejects.toThrow(/alert|ECONNRESET|hang up/i)
  })

  test('gets nothing from etcd with a certificate of the API, whose users are no users of etcd', async () => {
    const { access } = await credentialOf('dev')

    await expect(get(ports.etcdClient, '/version', access)).rejects.toThrow(
      /alert|ECONNRESET|hang up/i,
    )
    expect(await get(ports.apiServer, '/version', access)).toMatchObject({ status: 200 })
  })

  test.for(['/debug/pprof/', '/configz', '/flagz', '/statusz'])(
    'gets nothing from kube-controller-manager at %s',
    async (path) => {
      const { status } = await get(ports.controllerManager, path)

      expect([401, 403, 404]).toContain(status)
    },
  )

  test('writes no secret, key, token or certificate into logs', async () => {
    await cli.kubectl(['create', 'secret', 'generic', 'mine', `--from-literal=password=${SECRET}`])
    const stored = await cli.kubectl(['get', 'secret', 'mine', '-o', 'name'])
    const { stdout: token } = await cli.kubectl(['create', 'token', 'default'])
    await get(ports.apiServer, '/api', { headers: { authorization: `Bearer ${token.trim()}` } })
    const { access } = await credentialOf('dev')
    expect(stored.stdout).toBe('secret/mine\n')
    expect(token.length).toBeGreaterThan(100)

    const { logs } = cli.plane('dev')
    const written = readdirSync(logs).map((file) => readFileSync(join(logs, file), 'utf8'))

    expect(written.join('').length).toBeGreaterThan(1000)
    const encoded = Buffer.from(SECRET).toString('base64')
    for (const secret of [SECRET, encoded, token.trim(), 'PRIVATE KEY', keyLine(access.key)]) {
      expect(written.filter((log) => log.includes(secret))).toEqual([])
    }
  })

  test('writes none into what debug collects, though someone else did into a log', async () => {
    const { logs, pki } = cli.plane('dev')
    const { stdout: token } = await cli.kubectl(['create', 'token', 'default'])
    appendFileSync(join(logs, 'etcd.log'), `sent: Bearer ${token.trim()}\n`)
    const kept = readdirSync(pki, { recursive: true, encoding: 'utf8' })
      .map((name) => join(pki, name))
      .filter((path) => statSync(path).isFile())
      .map((path) => readFileSync(path, 'utf8'))
    const file = join(cli.root, 'debug.tar.gz')

    const { missing }: DebugResult = await cli.json(['debug', 'dev', '--output', file, '--json'])

    expect(missing).toEqual([])
    expect(kept.length).toBeGreaterThan(10)
    expect(readableIn(textOfArchive(file), [...kept, token.trim()])).toEqual([])
    expect(textOfArchive(file, 'logs/etcd.log')).toContain('sent: Bearer (left out)')
    expect(filesOfArchive(file)).toEqual(
      expect.arrayContaining([
        'diagnosis.json',
        'etcd.json',
        'metrics.txt',
        'certificates.json',
        'api/readyz.txt',
      ]),
    )
    expect(textOfArchive(file, 'etcd.json')).toContain('"isLeading": true')
  })

  test('keeps credentials out of the kubeconfig, which names the plugin', () => {
    const kubeconfig = readFileSync(cli.kubeconfig, 'utf8')

    expect(kubeconfig).toContain('exec:')
    expect(kubeconfig).not.toMatch(/client-key|token:|password/)
  })

  /** What the credential plugin gives to clients. */
  async function credentialOf(name: string): Promise<{ access: { cert: string; key: string } }> {
    const answer = await cli.json(['credential', 'local', name])
    const { clientCertificateData: cert, clientKeyData: key } = answer.status
    return { access: { cert, key } }
  }
})

interface GetOptions {
  cert?: string
  key?: string
  method?: string
  headers?: Record<string, string>
}

/** One request over a connection of its own, to a server that may be anybody. */
async function get(port: number, path: string, options: GetOptions = {}): Promise<Answer> {
  const { promise, reject, resolve } = Promise.withResolvers<Answer>()
  const sent = request(
    { host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false, ...options },
    (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
    },
  )
  sent.on('error', reject)
  sent.end()
  return promise
}

/** One line of what makes a key secret. */
function keyLine(pem: string): string {
  return pem.split('\n')[1] ?? ''
}
