import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { openUpgrade, type UpgradedConnection } from '../../../kube/http/open-upgrade.ts'
import type { Peer } from '../../../kube/http/peer.ts'
import { hostRefusal, hostSilence } from './host-refusal.ts'
import { joinSockets } from './join-sockets.ts'
import { refuseUpgrade } from '../requests/kubelet-answer.ts'
import type { PodTarget } from '../requests/pod-target.ts'
import { upgradeHeaders } from './upgrade-headers.ts'

/** A client that asked to change the protocol. */
export interface StreamClient extends UpgradedConnection {
  request: IncomingMessage
}

/**
 * Changes the protocol with the host, and with the client when the host agrees; from then on what either says goes to
 * the other as it is. The host's refusal is the answer otherwise.
 */
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
    const { answer, connection } = await askHost(socket, (signal) =>
      openUpgrade(host, { method, path, headers: headers.passed, signal }),
    )
    if (connection === undefined) {
      refuseUpgrade(socket, toVirtual(await hostRefusal(answer)))
      return
    }
    socket.write(headOf(answer))
    joinSockets(client, connection, host.patience)
  } catch (error) {
    refuseUpgrade(socket, hostSilence(error, host))
  }
}

/** Asks for as long as the client stays. */
async function askHost<T>(client: Socket, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const leaving = new AbortController()
  const left = () => leaving.abort()
  client.once('end', left)
  client.once('close', left)
  try {
    return await ask(leaving.signal)
  } finally {
    client.off('end', left)
    client.off('close', left)
  }
}

/** What the client has to know of the change, in the host's own spelling. */
function headOf({ rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 &&
    /^(connection|upgrade|x-stream-protocol-version|sec-websocket-.*)$/i.test(name)
      ? [`${name}: ${rawHeaders[index + 1]}`]
      : [],
  )
  return ['HTTP/1.1 101 Switching Protocols', ...lines, '', ''].join('\r\n')
}
