import type { IncomingMessage } from 'node:http'
import { json, text } from 'node:stream/consumers'
import { messageOf, VplaneError } from '../shared/errors.ts'
import { requestBy, type RequestOver, requestOver } from '../shared/network/request-over.ts'
import { type EtcdConnection, SERVER_NAME } from './etcd-connection.ts'
import { fieldAt } from '../shared/json-fields.ts'

export interface EtcdRequest extends Pick<RequestOver, 'before' | 'path' | 'signal'> {
  /** JSON. @default no fields */
  body?: object
}

/**
 * Sends one request, by the agent of the connection or else on a separate connection that closes after the response; the
 * caller reads its body.
 * @throws {VplaneError} `UNREACHABLE` when it does not answer, `FAILED` with its message when it refuses.
 */
export async function postToEtcd(
  connection: EtcdConnection,
  { body = {}, ...request }: EtcdRequest,
): Promise<IncomingMessage> {
  return send(connection, { method: 'POST', body, ...request })
}

/**
 * Sends one request to an etcd member and parses the JSON of its response. That omits fields that are empty, zero or
 * false, and has 64-bit numbers as text.
 */
export async function askEtcd(connection: EtcdConnection, request: EtcdRequest): Promise<unknown> {
  return json(await postToEtcd(connection, request))
}

/** Requests a page of an etcd member. @throws {VplaneError} as `postToEtcd` does. */
export async function getFromEtcd(
  connection: EtcdConnection,
  request: { path: string; signal: AbortSignal },
): Promise<IncomingMessage> {
  return send(connection, { method: 'GET', ...request })
}

async function send(
  connection: EtcdConnection,
  request: EtcdRequest & Pick<RequestOver, 'method'>,
): Promise<IncomingMessage> {
  const { what } = connection
  const { path, signal } = request
  let answer: IncomingMessage
  try {
    answer = await answerOf(connection, request)
  } catch (error) {
    signal.throwIfAborted()
    throw new VplaneError('UNREACHABLE', `cannot reach ${what}: ${messageOf(error)}`, {
      cause: error,
    })
  }
  if (answer.statusCode !== 200) {
    const reason = reasonIn((await text(answer)).trim())
    throw new VplaneError(
      'FAILED',
      `${what} refused ${path} with status ${answer.statusCode}: ${reason}`,
    )
  }
  return answer
}

async function answerOf(
  { agent, dial, ...credentials }: EtcdConnection,
  request: EtcdRequest & Pick<RequestOver, 'method'>,
): Promise<IncomingMessage> {
  const named = { ...request, serverName: SERVER_NAME }
  if (agent !== undefined && request.before === undefined) {
    try {
      return await requestBy(agent, named)
    } catch {
      // A member that ended and started again has closed the connection: a new one shows whether it works.
      request.signal.throwIfAborted()
    }
  }
  return requestOver(await dial(request.signal, 'gateway'), { ...named, ...credentials })
}

/** The message in the JSON of a refusal, or the whole text. */
function reasonIn(body: string): string {
  try {
    const message = fieldAt(JSON.parse(body), 'message')
    return typeof message === 'string' ? message : body
  } catch {
    return body
  }
}
