import type { Duplex } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { isRecord } from '../../../src/shared/json-fields.ts'
import { canRunLab } from '../../lab/lab.ts'
import { startFakeProxy } from '../../support/api/fake-proxy.ts'
import { rejectionOf } from '../../support/thrown-by.ts'
import type { Folder } from './kubeconfigs.ts'
import { makePlace, object } from './lab-place.ts'

const NEVER = new AbortController().signal

describe.skipIf(canRunLab() !== undefined)('a real host cluster', () => {
  test('keeps managers, versions and identities apart', async () => {
    await using place = await makePlace()
    const { api } = place.host
    const path = `${place.path}/configmaps/c`
    const map = (a: string) => object('ConfigMap', 'c', { data: { a } })
    const { metadata } = await api.apply(path, map('1'))
    await api.patch(`${path}?fieldManager=other`, { data: { a: '2' } }, { type: 'merge' })

    const conflict = await rejectionOf(api.apply(path, map('3'), { force: false }))
    const stale = await rejectionOf(api.replace(path, { ...map('4'), metadata }))
    const other = await rejectionOf(api.delete(path, { uid: 'another' }))
    const trial = await api.apply(path, map('5'), { dryRun: true })

    expect(conflict.code).toBe('CONFLICT')
    expect(conflict.message).toMatch(/^cannot change ConfigMap "c": ".+" manages \.data\.a$/)
    expect([stale.code, other.code]).toEqual(['CONFLICT', 'CONFLICT'])
    expect(trial['data']).toEqual({ a: '5' })
    expect(await api.get(path)).toMatchObject({ data: { a: '2' } })
    expect(await api.delete(path, { propagation: 'Background' })).toBe(true)
    expect(await api.delete(path)).toBe(false)
  })

  test('follows a log, and forwards 200 streams at once', async () => {
    await using place = await makePlace()
    await place.run('web', ['netexec', '--http-port=8080'])

    const signal = AbortSignal.timeout(60_000)
    let log = ''
    for await (const text of place.host.api.stream(`${place.path}/pods/web/log?follow=true`, {
      signal,
    })) {
      log += text
      // The pod starts its servers in any order, and each is a line of its own.
      if (log.includes('8080')) {
        break
      }
    }
    expect(log).toContain('8080')
    const words = Array.from({ length: 200 }, (_, index) => `word-${index}`)
    const answers = await Promise.all(
      words.map(async (word) => {
        const stream = await place.forward('web', 8080)
        return ask(stream, `/echo?msg=${word}`, { word })
      }),
    )

    expect(answers).toEqual(words.map(() => true))
  })

  test('carries a large answer to the last byte', async () => {
    await using place = await makePlace()
    await place.run('files', ['test-webserver', '--port=8080'])
    const stream = await place.forward('files', 8080)
    stream.write('GET /agnhost HTTP/1.1\r\nhost: pod\r\nconnection: close\r\n\r\n')

    let size = 0
    let length = 0
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const head = /content-length: (\d+)[^]*?\r\n\r\n/i.exec(
        size === 0 ? chunk.toString('latin1') : '',
      )
      length += head === null ? 0 : Number(head[1]) + head.index + head[0].length
      size += chunk.length
    }

    expect(length).toBeGreaterThan(20_000_000)
    expect(size).toBe(length)
  })

  test('says that nothing listens, and that the pod is gone', async () => {
    await using place = await makePlace()
    await place.run('web', ['netexec', '--http-port=8080'])
    const wrong = await place.forward('web', 8081)
    const refused = await rejectionOf(ask(wrong, '/', { word: 'never' }))
    const open = await place.forward('web', 8080)
    expect(await ask(open, '/hostname', { word: 'web', isLast: false })).toBe(true)
    const ended = new Promise((resolve) => void open.once('close', resolve))
    open.on('error', () => {}).resume()

    await place.host.api.delete(`${place.path}/pods/web`, { graceSeconds: 0 })
    await ended

    expect(refused.message).toBe('cannot reach port 8081 of pod "web": nothing listens there')
    await expect(place.forward('web', 8080)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('logs in by a plugin whose tokens expire, and names the rights it lacks', async () => {
    await using place = await makePlace()
    const { api } = place.host
    await api.apply(`${place.path}/serviceaccounts/ci`, object('ServiceAccount', 'ci'))
    const token = async () => {
      const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {} }
      const { status } = await api.create(`${place.path}/serviceaccounts/ci/token`, request)
      return isRecord(status) ? String(status['token']) : ''
    }
    await place.folder.write('token', 'refused')
    await using limited = await place.open(await pluginUser(place.folder))

    const login = await rejectionOf(limited.api.get('/version'))
    await place.folder.write('token', await token())
    const version = await limited.api.get('/version')
    const forward = limited.forward(
      { namespace: 'default', pod: 'web', port: 80 },
      { signal: NEVER },
    )
    const right = await rejectionOf(forward)

    expect(login.message).toContain('it refused the credentials of user')
    expect(version).toHaveProperty('gitVersion')
    expect(right.message).toContain('the rights "get" and "create" on pods/portforward')
  })

  test.for(['http', 'socks5'] as const)('is reached through a proxy of %s', async (kind) => {
    await using place = await makePlace()
    await place.run('web', ['netexec', '--http-port=8080'])
    const { hostname, port } = new URL(place.host.server)
    await using proxy = await startFakeProxy({ kind, host: hostname, port: Number(port) })
    await using behind = await place.open({}, { 'proxy-url': proxy.url.href })

    const list = await behind.api.list(`${place.path}/pods`)
    const target = { namespace: place.namespace, pod: 'web', port: 8080 }
    const stream = await behind.forward(target, { signal: NEVER })

    expect(list.items).toHaveLength(1)
    expect(await ask(stream, '/hostname', { word: 'web' })).toBe(true)
    expect(proxy.targets).toEqual([`${hostname}:${port}`, `${hostname}:${port}`])
  })
})

/** Whether a word is in the answer of a web server. */
async function ask(
  stream: Duplex,
  path: string,
  { isLast = true, word }: { word: string; isLast?: boolean },
): Promise<boolean> {
  stream.write(`GET ${path} HTTP/1.1\r\nhost: pod\r\n\r\n`)
  let text = ''
  for await (const chunk of stream.iterator({ destroyOnReturn: isLast })) {
    text += String(chunk)
    if (text.includes(word)) {
      return true
    }
  }
  return false
}

/** A user whose plugin prints the token that is in a file, which is never good for long. */
async function pluginUser(folder: Folder): Promise<object> {
  const apiVersion = 'client.authentication.k8s.io/v1'
  const token = `'$(cat ${folder.path}/token)'`
  const status = `{"expirationTimestamp": "2020-01-01T00:00:00Z", "token": "${token}"}`
  const answer = `{"kind": "ExecCredential", "apiVersion": "${apiVersion}", "status": ${status}}`
  const command = await folder.write('plugin', `#!/bin/sh\necho '${answer}'\n`)
  return { exec: { apiVersion, command, interactiveMode: 'Never' } }
}
