import { refusalOf } from '../http/exchange.ts'
import { toConnectionError } from '../kube-error.ts'
import { eitherOf, type Transport } from '../http/transport.ts'

/**
 * Streams a text in pieces, which never end within a character, until the server ends it. It reads no further than its
 * consumer, apart from a buffer, and closes the connection when the consumer stops.
 *
 * @throws {VplaneError} by the status of the answer; `UNREACHABLE` when the connection breaks. When a signal fires, its
 * reason is thrown as it is.
 */
export async function* streamText(
  transport: Transport,
  path: string,
  callerSignal: AbortSignal,
): AsyncGenerator<string, void, void> {
  const signal = eitherOf(transport.closed, callerSignal)
  try {
    const request = { method: 'GET', path, accept: 'application/json, */*', signal } as const
    const response = await transport.send({ ...request, silenceMs: 0 })
    try {
      const refusal = await refusalOf(transport, request, response)
      if (refusal !== undefined) {
        throw refusal
      }
      // A log may be silent for days; TCP keep-alive detects a dead server.
      response.socket.setTimeout(0)
      response.socket.setKeepAlive(true, transport.patience.pingMs)
      const decoder = new TextDecoder()
      for await (const chunk of response as AsyncIterable<Buffer>) {
        const text = decoder.decode(chunk, { stream: true })
        if (text !== '') {
          yield text
        }
      }
    } finally {
      response.destroy()
    }
  } catch (error) {
    signal.throwIfAborted()
    throw toConnectionError(error, transport.server)
  }
}
