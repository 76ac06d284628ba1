import type { IncomingMessage } from 'node:http'
import { VplaneError } from '../../shared/errors.ts'
import { refusalOf } from '../http/exchange.ts'
import { toWatchRefusal } from '../kube-error.ts'
import { type KubeObject, isKubeObject } from '../../shared/kube/kube-object.ts'
import { isRecord } from '../../shared/json-fields.ts'
import { metadataType } from './list.ts'
import { withQuery } from './query.ts'
import type { KubeRequest, Transport } from '../http/transport.ts'

const NEWLINE = 0x0a

/** An event of one watch request, including bookmarks. */
export interface StreamEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  object: KubeObject
}

export interface WatchStreamOptions {
  resourceVersion: string
  signal: AbortSignal
  /** @default false */
  metadataOnly?: boolean | undefined
  /** Called when the server has accepted the watch. */
  onOpen: () => void
}

/**
 * Yields the events of one watch request until the server ends it. It reads no further than its consumer, apart from a
 * buffer, and closes the connection when the consumer stops. It throws every failure.
 */
export async function* openWatchStream(
  transport: Transport,
  path: string,
  { metadataOnly = false, onOpen, resourceVersion, signal }: WatchStreamOptions,
): AsyncGenerator<StreamEvent, void, void> {
  const request: KubeRequest = {
    method: 'GET',
    path: withQuery(path, {
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion,
      timeoutSeconds: String(290 + Math.floor(Math.random() * 300)),
    }),
    signal,
    silenceMs: transport.patience.watchSilenceMs,
    ...(metadataOnly ? { accept: metadataType('PartialObjectMetadata') } : {}),
  }
  const response = await transport.send(request)
  try {
    const refusal = await refusalOf(transport, request, response)
    if (refusal !== undefined) {
      throw refusal
    }
    onOpen()
    const chunks = chunksOf(response, transport.patience.watchSilenceMs)
    for await (const value of parseJsonLines(chunks)) {
      yield toStreamEvent(value)
    }
  } finally {
    response.destroy()
  }
}

/** The chunks of a body; the time limit runs only while the consumer waits for one. */
async function* chunksOf(response: IncomingMessage, silenceMs: number): AsyncGenerator<Buffer> {
  response.socket.setTimeout(0)
  const chunks: AsyncIterator<Buffer> = response[Symbol.asyncIterator]()
  for (;;) {
    const timer = setTimeout(() => response.destroy(new Error('the watch is silent')), silenceMs)
    const { done, value } = await chunks.next().finally(() => clearTimeout(timer))
    if (done === true) {
      return
    }
    yield value
  }
}

/** Parses JSON lines; chunks may end anywhere. @throws {SyntaxError} when a line is not JSON. */
export async function* parseJsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator {
  let rest: Buffer[] = []
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = textOf([...rest, chunk.subarray(start, end)])
      rest = []
      start = end + 1
      if (line !== '') {
        yield JSON.parse(line)
      }
    }
    if (start < chunk.length) {
      rest.push(chunk.subarray(start))
    }
  }
  const line = textOf(rest)
  if (line !== '') {
    yield JSON.parse(line)
  }
}

/** Joins the bytes before decoding, because a chunk may end within a character. */
function textOf(parts: Buffer[]): string {
  return Buffer.concat(parts).toString('utf8').trim()
}

function toStreamEvent(value: unknown): StreamEvent {
  if (isRecord(value) && isKubeObject(value['object'])) {
    const { type, object } = value
    switch (type) {
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
      case 'BOOKMARK':
        return { type, object }
      case 'ERROR':
        throw toWatchRefusal(object)
      default:
        break
    }
  }
  throw new VplaneError('FAILED', 'the watch sent something that is no event')
}
