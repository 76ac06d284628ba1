import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { json } from 'node:stream/consumers'
import type { PlaneUser } from '../driver/plane-requests.ts'

const PATH = '/api/v1/namespaces/default/podtemplates'

/** Of which there is at most one. */
const OBJECT = {
  apiVersion: 'v1',
  kind: 'PodTemplate',
  metadata: { name: 'only' },
  template: { spec: { containers: [{ name: 'main', image: 'none' }] } },
}

/**
 * Deletes the last object of a kind through one server of an API, and lists the kind through the other, so many times. Returns how
 * many lists had not what the deletion or the creation before it had answered.
 */
export async function staleLists(
  [first, second]: readonly [PlaneUser, PlaneUser],
  rounds: number,
): Promise<number> {
  const [writer, reader] = [connectionOf(first), connectionOf(second)]
  let stale = 0
  const list = async () => {
    const { items }: { items: unknown[] } = JSON.parse(JSON.stringify(await reader('GET', PATH)))
    return items.length
  }
  for (let round = 0; round < rounds; round += 1) {
    await writer('POST', PATH, OBJECT)
    stale += (await list()) === 1 ? 0 : 1
    await writer('DELETE', `${PATH}/only`)
    stale += (await list()) === 0 ? 0 : 1
  }
  return stale
}

/** Sends requests over a connection that stays open. */
function connectionOf({ ca, cert, key, server }: PlaneUser) {
  const agent = new Agent({ ca, cert, key, keepAlive: true, maxSockets: 1 })
  return async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const sent = request(new URL(path, server), { agent, method, headers })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    const [answer]: IncomingMessage[] = await once(sent, 'response')
    const status = answer?.statusCode ?? 0
    if (answer === undefined || status >= 300) {
      throw new Error(`${method} ${path} was answered by ${status}`)
    }
    return json(answer)
  }
}
