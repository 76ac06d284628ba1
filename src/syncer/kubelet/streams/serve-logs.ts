import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Peer } from '../../../kube/http/peer.ts'
import { transportOf } from '../../../kube/http/transport.ts'
import { hostRefusal, hostSilence, plainly } from './host-refusal.ts'
import { sendAnswer } from '../requests/kubelet-answer.ts'
import type { PodTarget } from '../requests/pod-target.ts'

/**
 * Answers with a log of the host, no faster than the client takes it, for as long as both stay. Neither outlives the
 * other: a client that goes ends the request to the host, and a log that breaks off breaks off there too.
 */
export async function serveLogs(
  response: ServerResponse,
  { path, toVirtual }: PodTarget,
  host: Peer,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  try {
    const request = { method: 'GET', path, accept: 'application/json, */*' } as const
    // A log that is followed says nothing, not even that it exists, until there is a line.
    const silently = { silenceMs: 0, signal: gone.signal }
    const answer = await transportOf(host).send({ ...request, ...silently })
    if (answer.statusCode !== 200) {
      sendAnswer(response, toVirtual(plainly(await hostRefusal(answer))))
      return
    }
    answer.socket.setTimeout(0)
    answer.socket.setKeepAlive(true, host.patience.pingMs)
    response.writeHead(200, {
      'content-type': answer.headers['content-type'] ?? 'text/plain',
      'x-content-type-options': 'nosniff',
    })
    response.flushHeaders()
    await pipeline(answer, response)
  } catch (error) {
    if (response.headersSent || gone.signal.aborted) {
      // A log that was cut must not look like one that ended.
      response.destroy()
    } else {
      sendAnswer(response, hostSilence(error, host))
    }
  }
}
