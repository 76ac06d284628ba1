import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { text } from 'node:stream/consumers'
import { parseYaml } from '../../../src/shared/yaml/yaml.ts'

/** A plane and a user of it: what a kubeconfig with everything in it says. */
export interface PlaneUser {
  server: string
  ca: string
  cert: string
  key: string
}

/** Reads a kubeconfig that `vplane kubeconfig --embed-credentials` has printed. */
export function planeUserIn(kubeconfig: string): PlaneUser {
  const parsed: {
    clusters: Array<{ cluster: Record<string, string> }>
    users: Array<{ user: Record<string, string> }>
  } = JSON.parse(JSON.stringify(parseYaml(kubeconfig, 'the kubeconfig')))
  const cluster = parsed.clusters[0]?.cluster ?? {}
  const user = parsed.users[0]?.user ?? {}
  const decode = (base64: string | undefined) => Buffer.from(base64 ?? '', 'base64').toString()
  return {
    server: cluster['server'] ?? '',
    ca: decode(cluster['certificate-authority-data']),
    cert: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
  }
}

/** Sends a request over a connection of its own and returns the answer, unread. */
export async function ask(
  { ca, cert, key, server }: PlaneUser,
  path: string,
  body?: object,
): Promise<IncomingMessage> {
  const agent = new Agent({ ca, cert, key, keepAlive: false })
  const sent = request(new URL(path, server), {
    agent,
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
  })
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (response === undefined) {
    throw new Error(`${path} was not answered`)
  }
  if ((response.statusCode ?? 0) >= 300) {
    throw new Error(`${path} was answered by ${response.statusCode}: ${await text(response)}`)
  }
  return response
}

/** The JSON of an answer. */
export async function jsonOf<T>(answer: Promise<IncomingMessage>): Promise<T> {
  const value: T = JSON.parse(await text(await answer))
  return value
}

/** Reads an answer to its end, and says what it was. */
export async function digestOf(
  answer: IncomingMessage,
): Promise<{ bytes: number; digest: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, digest: hash.digest('hex') }
}
