import { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { VplaneError } from '../../shared/errors.ts'
import type { Patience } from '../connection.ts'

const DATA = 0
const ERROR = 1
/** Every channel begins with the number of its port. */
const HEADER_BYTES = 2
const FRAME_BYTES = 64 * 1024
const MAX_MISSED_PINGS = 3
const NORMAL = [1000, 1001, 1005]

type Callback = (error?: Error | null) => void

/** A port of a pod. */
export interface ForwardTarget {
  namespace: string
  pod: string
  port: number
}

/** A forwarded port as a stream with backpressure in both directions; ends with the websocket. */
export class ForwardedStream extends Duplex {
  readonly #websocket: WebSocket
  readonly #target: ForwardTarget
  readonly #lingerMs: number
  readonly #pulse: NodeJS.Timeout
  readonly #headers = [HEADER_BYTES, HEADER_BYTES]
  #linger: NodeJS.Timeout | undefined
  #probe: NodeJS.Timeout | undefined
  #isSending = false
  #missedPings = 0

  constructor(
    websocket: WebSocket,
    { patience, target }: { patience: Patience; target: ForwardTarget },
  ) {
    // The protocol cannot end one direction alone.
    super({ allowHalfOpen: false })
    this.#websocket = websocket
    this.#target = target
    this.#lingerMs = patience.lingerMs
    this.#pulse = setInterval(() => this.#beat(), patience.pingMs).unref()
    websocket.on('message', (data) => this.#receive(data))
    websocket.on('pong', () => this.#live())
    websocket.on('close', (code) => this.#closed(code))
    // It may break before the caller listens; without a listener the error would end the process.
    this.on('error', () => {})
  }

  override _read(): void {
    this.#websocket.resume()
  }

  override _write(chunk: Buffer, _: BufferEncoding, callback: Callback): void {
    this.#isSending = true
    this.#send(chunk, (error) => {
      this.#isSending = false
      callback(error)
    })
  }

  /** Does not notify the server, which would end too; the server gets time to send its remaining data. */
  override _final(callback: Callback): void {
    if (this.#websocket.readyState === this.#websocket.OPEN) {
      this.#linger = setTimeout(() => this.#websocket.close(1000), this.#lingerMs)
    }
    callback()
  }

  override _destroy(error: Error | null, callback: Callback): void {
    clearInterval(this.#pulse)
    clearTimeout(this.#linger)
    clearTimeout(this.#probe)
    this.#websocket.terminate()
    callback(error)
  }

  /** Pings now, and fails without an answer in time: the machine may have slept meanwhile. */
  probe(withinMs: number): void {
    clearTimeout(this.#probe)
    this.#probe = setTimeout(() => {
      // A paused websocket receives no answer.
      if (!this.#websocket.isPaused) {
        this.destroy(this.#toError('the host cluster no longer answers'))
      }
    }, withinMs)
    this.#websocket.ping()
  }

  #send(chunk: Buffer, callback: Callback): void {
    if (this.#websocket.readyState !== this.#websocket.OPEN) {
      // The reader gets the end of the stream after the data that it has not read yet.
      callback()
      return
    }
    const piece = chunk.subarray(0, FRAME_BYTES)
    const frame = Buffer.allocUnsafe(piece.length + 1)
    frame[0] = DATA
    frame.set(piece, 1)
    const rest = chunk.subarray(piece.length)
    this.#websocket.send(frame, { binary: true }, () =>
      rest.length === 0 ? callback() : this.#send(rest, callback),
    )
  }

  #receive(message: unknown): void {
    this.#live()
    this.#linger?.refresh()
    if (!Buffer.isBuffer(message)) {
      return
    }
    const channel = message[0] ?? DATA
    const left = this.#headers[channel] ?? 0
    const data = message.subarray(1 + left)
    this.#headers[channel] = Math.max(0, left - (message.length - 1))
    if (data.length === 0 || this.destroyed) {
      return
    }
    if (channel === ERROR) {
      this.destroy(this.#toError(data.toString('utf8')))
    } else if (channel === DATA && !this.push(data)) {
      this.#websocket.pause()
    }
  }

  #live(): void {
    this.#missedPings = 0
    clearTimeout(this.#probe)
  }

  /** A missing answer counts only while the websocket reads and nothing is being sent. */
  #beat(): void {
    if (this.#isSending) {
      return
    }
    this.#missedPings = this.#websocket.isPaused ? 0 : this.#missedPings + 1
    if (this.#missedPings > MAX_MISSED_PINGS) {
      this.destroy(this.#toError('the host cluster no longer answers'))
    } else {
      this.#websocket.ping()
    }
  }

  #closed(code: number): void {
    if (NORMAL.includes(code)) {
      this.push(null)
    } else {
      this.destroy(this.#toError('the connection broke'))
    }
  }

  #toError(message: string): VplaneError {
    const { pod, port } = this.#target
    const isRefused = /connection refused/i.test(message)
    const why = isRefused ? 'nothing listens there' : message.replaceAll(/\s+/g, ' ').trim()
    return new VplaneError('UNREACHABLE', `cannot reach port ${port} of pod "${pod}": ${why}`, {
      cause: new Error(message),
    })
  }
}
