import type { IncomingMessage } from 'node:http'
import { json, text } from 'node:stream/consumers'
import { messageOf, VplaneError } from '../shared/errors.ts'
import { type RequestOver, requestOver } from '../shared/network/request-over.ts'
import { type EtcdConnection, SERVER_NAME } from './etcd-connection.ts'
import { fieldAt } from '../shared/json-fields.ts'

/** What a member of etcd is asked. */
export interface EtcdRequest extends Pick<RequestOver, 'before' | 'path' | 'signal'> {
  /** JSON. @default no fields */
  body?: object
}

/**
 * Sends one request to a member of etcd, on a connection of its own that ends with the answer.
 *
 * @returns the answer, whose body is still to be read.
 * @throws {VplaneError} `UNREACHABLE` when it cannot be asked, `FAILED` with what it said when it refuses.
 */
export async function postToEtcd(
  connection: EtcdConnection,
  { body = {}, ...request }: EtcdRequest,
): Promise<IncomingMessage> {
  return send(connection, { method: 'POST', body, ...request })
}

/**
 * Reads the JSON that a member of etcd answers. Fields that are empty, zero or false are left out of it, and numbers of 64
 * bits are text.
 *
 * @throws {VplaneError} as `postToEtcd` does.
 */
export async function askEtcd(connection: EtcdConnection, request: EtcdRequest): Promise<unknown> {
  return json(await postToEtcd(connection, request))
}

/**
 * Reads a page of a member of etcd as `postToEtcd` does.
 *
 * @throws {VplaneError} as `postToEtcd` does.
 */
export async function getFromEtcd(
  connection: EtcdConnection,
  request: { path: string; signal: AbortSignal },
): Promise<IncomingMessage> {
  return send(connection, { method: 'GET', ...request })
}

async function send(
  { dial, what, ...proof }: EtcdConnection,
  request: EtcdRequest & Pick<RequestOver, 'method'>,
): Promise<IncomingMessage> {
  const { path, signal } = request
  let answer: IncomingMessage
  try {
    answer = await requestOver(await dial(signal, 'gateway'), {
      ...request,
      ...proof,
      serverName: SERVER_NAME,
    })
  } catch (error) {
    signal.throwIfAborted()
    throw new VplaneError('UNREACHABLE', `${what} cannot be asked: ${messageOf(error)}`, {
      cause: error,
    })
  }
  if (answer.statusCode !== 200) {
    const said = (await text(answer)).trim()
    throw new VplaneError(
      'FAILED',
      `${what} refused ${path} with status ${answer.statusCode}: ${wordsOf(said)}`,
    )
  }
  return answer
}

/** What a refusal says in its JSON, or all of it. */
function wordsOf(said: string): string {
  try {
    const message = fieldAt(JSON.parse(said), 'message')
    return typeof message === 'string' ? message : said
  } catch {
    return said
  }
}
