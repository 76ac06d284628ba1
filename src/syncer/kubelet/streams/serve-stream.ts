import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { openUpgrade } from '../../../kube/http/open-upgrade.ts'
import type { Peer } from '../../../kube/http/peer.ts'
import { joinSockets, type UpgradedConnection } from '../../../shared/network/join-sockets.ts'
import { hostRefusal, noHostAnswer } from './host-refusal.ts'
import { refuseUpgrade } from '../requests/kubelet-answer.ts'
import type { PodTarget } from '../requests/pod-target.ts'
import { upgradeHeaders } from './upgrade-headers.ts'

export interface StreamClient extends UpgradedConnection {
  request: IncomingMessage
}

/** Changes the protocol with host and client, and copies both directions unchanged; or answers with the host's refusal. */
export async function serveStream(
  client: StreamClient,
  { path, toVirtual }: PodTarget,
  host: Peer,
): Promise<void> {
  const { request, socket } = client
  const headers = upgradeHeaders(request)
  if ('status' in headers) {
    refuseUpgrade(socket, headers)
    return
  }
  const method = request.method === 'POST' ? 'POST' : 'GET'
  try {
    const { answer, connection } = await requestFor(socket, (signal) =>
      openUpgrade(host, { method, path, headers: headers.forwarded, signal }),
    )
    if (connection === undefined) {
      refuseUpgrade(socket, toVirtual(await hostRefusal(answer)))
      return
    }
    socket.write(headOf(answer))
    joinSockets(client, connection, host.patience)
  } catch (error) {
    refuseUpgrade(socket, noHostAnswer(error, host))
  }
}

async function requestFor<T>(
  client: Socket,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const closed = new AbortController()
  const abort = () => closed.abort()
  client.once('end', abort)
  client.once('close', abort)
  try {
    return await send(closed.signal)
  } finally {
    client.off('end', abort)
    client.off('close', abort)
  }
}

/** The response head for the client, with the relevant headers of the host, unchanged. */
function headOf({ rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 &&
    /^(connection|upgrade|x-stream-protocol-version|sec-websocket-.*)$/i.test(name)
      ? [`${name}: ${rawHeaders[index + 1]}`]
      : [],
  )
  return ['HTTP/1.1 101 Switching Protocols', ...lines, '', ''].join('\r\n')
}
