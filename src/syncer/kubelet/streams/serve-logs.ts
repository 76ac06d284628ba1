import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Peer } from '../../../kube/http/peer.ts'
import { transportOf } from '../../../kube/http/transport.ts'
import { hostRefusal, noHostAnswer, toPlainAnswer } from './host-refusal.ts'
import { sendAnswer } from '../requests/kubelet-answer.ts'
import type { PodTarget } from '../requests/pod-target.ts'

/** Answers with a log of the host, as fast as the client reads it; when one side disconnects, so does the other. */
export async function serveLogs(
  response: ServerResponse,
  { path, toVirtual }: PodTarget,
  host: Peer,
): Promise<void> {
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  try {
    const request = { method: 'GET', path, accept: 'application/json, */*' } as const
    // When a log is followed, not even the headers come before its first line.
    const patience = { silenceMs: 0, signal: closed.signal }
    const answer = await transportOf(host).send({ ...request, ...patience })
    if (answer.statusCode !== 200) {
      sendAnswer(response, toVirtual(toPlainAnswer(await hostRefusal(answer))))
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
    if (response.headersSent || closed.signal.aborted) {
      // An incomplete log must not look like a complete one.
      response.destroy()
    } else {
      sendAnswer(response, noHostAnswer(error, host))
    }
  }
}
