import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, test } from 'vitest'
import { openHttp, requireStatus } from '../../../../../src/drivers/local/binaries/download/http.ts'
import type { Environment } from '../../../../../src/shared/environment.ts'
import { LIMITS } from '../context.ts'
import { portOf, type ReleaseServer, startReleaseServer } from '../release-server.ts'

let server: ReleaseServer

beforeEach(async () => {
  server = await startReleaseServer()
  server.files.set('/file', { body: Buffer.from('content') })
  return () => server[Symbol.asyncDispose]()
})

test('gets a file, uncompressed', async () => {
  expect(await get('/file')).toEqual({ status: 200, body: 'content' })
  expect(server.requests[0]?.headers['accept-encoding']).toBe('identity')
})

test('follows redirects, but not in a circle', async () => {
  server.files.set('/moved', { body: Buffer.of(), location: '/again' })
  server.files.set('/again', { body: Buffer.of(), location: `${server.url}/file` })
  server.files.set('/circle', { body: Buffer.of(), location: '/circle' })

  expect(await get('/moved')).toEqual({ status: 200, body: 'content' })
  await expect(get('/circle')).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: expect.stringContaining('redirects more than 5 times'),
  })
})

test('sends credentials of the URL only to its server, and omits them from errors', async () => {
  await using other = await startReleaseServer()
  other.files.set('/file', { body: Buffer.from('elsewhere') })
  server.files.set('/moved', { body: Buffer.of(), location: `${other.url}/file` })
  const base = server.url.replace('//', '//me:se%20cret@')

  await using http = await openHttp({}, LIMITS)
  const { body } = await http.get(`${base}/moved`, { signal })
  expect(await text(body)).toBe('elsewhere')
  expect(server.requests[0]?.headers.authorization).toBe(`Basic ${btoa('me:se cret')}`)
  expect(other.requests[0]?.headers.authorization).toBeUndefined()

  const missing = await http.get(`${base}/missing`, { signal })
  expect(() => requireStatus(missing, `${base}/missing`)).toThrow(
    expect.objectContaining({ code: 'NOT_FOUND', message: expect.not.stringMatching(/cret|me:/) }),
  )
})

test.for([
  [404, 'NOT_FOUND'],
  [410, 'NOT_FOUND'],
  [403, 'UNREACHABLE'],
  [501, 'UNREACHABLE'],
] as const)('maps status %d to %s', async ([status, code]) => {
  server.files.set('/file', { body: Buffer.of(), statuses: [status] })

  await using http = await openHttp({}, LIMITS)
  const response = await http.get(`${server.url}/file`, { signal })

  expect(() => requireStatus(response, `${server.url}/file`)).toThrow(
    expect.objectContaining({ code }),
  )
})

test.for([429, 500, 502, 503, 504])('retries after status %d', async (status) => {
  server.files.set('/file', { body: Buffer.from('in the end'), statuses: [status] })

  expect(await get('/file')).toEqual({ status: 200, body: 'in the end' })
})

test('gives up on a server that answers only with errors', async () => {
  server.files.set('/file', { body: Buffer.of(), statuses: [500, 500, 500, 500] })

  expect(await get('/file')).toMatchObject({ status: 500 })
  expect(server.requests).toHaveLength(3)
})

test('reports a server that refuses connections at once', async () => {
  const url = server.url
  await server[Symbol.asyncDispose]()
  const startedAt = performance.now()

  await expect(get('/file')).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: expect.stringContaining(`cannot reach ${new URL(url).host} (`),
  })
  expect(performance.now() - startedAt).toBeLessThan(400)
})

test('reports an unknown host name', async () => {
  await using http = await openHttp({}, LIMITS)

  await expect(http.get('https://vplane-test.invalid/', { signal })).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: expect.stringContaining('cannot reach vplane-test.invalid'),
  })
})

test('does not wait for a server that does not answer', async () => {
  server.files.set('/file', { body: Buffer.of(), isSilent: true })

  await expect(get('/file')).rejects.toMatchObject({ code: 'UNREACHABLE' })
})

test('ends at once when the signal fires', async () => {
  server.files.set('/file', { body: Buffer.of(), isSilent: true })
  const abort = new AbortController()
  await using http = await openHttp({})
  const answer = http.get(`${server.url}/file`, { signal: abort.signal })
  await expect.poll(() => server.requests).toHaveLength(1)

  abort.abort()

  await expect(answer).rejects.toMatchObject({ code: 'ABORTED' })
})

test.for(['HTTP_PROXY', 'http_proxy'])('uses the proxy of %s', async (name) => {
  await using proxy = await startProxy()

  const answer = await get('/file', { [name]: proxy.url })

  expect(answer).toEqual({ status: 200, body: 'content' })
  expect(proxy.targets).toHaveLength(1)
})

test('tunnels https through the proxy of HTTPS_PROXY', async () => {
  await using proxy = await startProxy()
  await using http = await openHttp({ HTTPS_PROXY: proxy.url }, LIMITS)

  // The server has no TLS; only the request to the proxy matters.
  const url = server.url.replace('http:', 'https:')
  await expect(http.get(`${url}/file`, { signal })).rejects.toMatchObject({ code: 'UNREACHABLE' })

  expect(proxy.targets).toEqual([`CONNECT ${new URL(url).host}`])
})

test('uses no proxy for hosts of NO_PROXY', async () => {
  await using proxy = await startProxy()

  const answer = await get('/file', { HTTP_PROXY: proxy.url, NO_PROXY: 'localhost,127.0.0.1' })

  expect(answer).toEqual({ status: 200, body: 'content' })
  expect(proxy.targets).toEqual([])
})

test('does not wait for a proxy that does not answer', async () => {
  const proxy = await startProxy()
  await proxy[Symbol.asyncDispose]()

  const answer = get('/file', { HTTP_PROXY: proxy.url })

  await expect(answer).rejects.toMatchObject({ code: 'UNREACHABLE' })
})

test('rejects a proxy that is not a URL', async () => {
  await expect(openHttp({ HTTPS_PROXY: '::::' })).rejects.toMatchObject({ code: 'USAGE' })
})

const { signal } = new AbortController()

async function get(path: string, environment: Environment = {}) {
  await using http = await openHttp(environment, LIMITS)
  const { body, status } = await http.get(`${server.url}${path}`, { signal })
  return { status, body: await text(body) }
}

async function forward(url: string, response: ServerResponse): Promise<void> {
  const answer = await fetch(url)
  response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()))
}

/** An HTTP proxy: absolute URLs for http, CONNECT for https. */
async function startProxy(): Promise<AsyncDisposable & { url: string; targets: string[] }> {
  const targets: string[] = []
  const proxy = createServer((request, response) => {
    targets.push(`${request.method} ${request.url}`)
    void forward(request.url ?? '', response)
  })
  proxy.on('connect', (request, socket) => {
    targets.push(`CONNECT ${request.url}`)
    const [host = '', port = ''] = (request.url ?? '').split(':')
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.pipe(socket).pipe(upstream)
    })
    const end = () => {
      upstream.destroy()
      socket.destroy()
    }
    upstream.on('error', end)
    socket.on('error', end)
  })
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${portOf(proxy.address())}`,
    targets,
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections()
      await new Promise((resolve) => {
        proxy.close(resolve)
      })
    },
  }
}
