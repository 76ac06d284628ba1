/**
 * A program that makes ConfigMaps at a steady rate through the kubeconfig of its environment, each over a connection of its
 * own: it begins the next one in time whether or not those before have their answers. It never tries one again.
 *
 * Arguments: the names' prefix, a file that ends it, requests in a second, seconds to wait for an answer.
 */
import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { once } from 'node:events'
import { parse } from 'yaml'

interface Kubeconfig {
  clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }]
  users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }]
}

const [prefix = '', end = '', perSecond = '', patienceSeconds = ''] = process.argv.slice(2)
const patienceMs = Number(patienceSeconds) * 1000
const {
  clusters: [{ cluster }],
  users: [{ user }],
}: Kubeconfig = parse(readFileSync(process.env['KUBECONFIG'] ?? '', 'utf8'))
const tls = {
  ca: decoded(cluster['certificate-authority-data']),
  cert: decoded(user['client-certificate-data']),
  key: decoded(user['client-key-data']),
}
const url = new URL('/api/v1/namespaces/default/configmaps', cluster.server)

const startedAt = performance.now()
const writes: Array<Promise<void>> = []
while (!existsSync(end)) {
  writes.push(write(`${prefix}-${writes.length + 1}`))
  const nextAt = startedAt + (writes.length * 1000) / Number(perSecond)
  await delay(Math.max(0, nextAt - performance.now()))
}
await Promise.all(writes)

async function write(name: string): Promise<void> {
  const began = clock()
  try {
    await post({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
    say(`taken ${name}`)
  } catch (error) {
    say(`failed from ${began} to ${clock()}: ${String(error)}`)
  }
}

/** @throws {Error} when the API does not say in time that it has made the object. */
async function post(object: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(patienceMs)
  const sent = request(url, { ...tls, agent: false, method: 'POST', headers, signal })
  // Those who wait for an answer learn of it.
  sent.on('error', () => {})
  sent.end(JSON.stringify(object))
  const [response] = await once(sent, 'response', { signal })
  const body = await text(response)
  if (response.statusCode !== 201) {
    throw new Error(`${response.statusCode} ${body.trim()}`)
  }
}

function decoded(base64: string): Buffer {
  return Buffer.from(base64, 'base64')
}

function clock(): string {
  return new Date().toTimeString().slice(0, 8)
}

function say(line: string): void {
  process.stdout.write(`${line.replaceAll('\n', ' ')}\n`)
}
