import type { Readable } from 'node:stream'
import type { EtcdConnection } from '../etcd-connection.ts'
import { postToEtcd } from '../post-to-etcd.ts'

/** The pause after a write that counts as a lull, in milliseconds: longer than a write, shorter than the pauses of steady clients. */
const QUIET_MS = 10

/** How long to wait for a first write, in milliseconds. */
const IDLE_MS = 1000

/** How long to wait for a lull, in milliseconds. */
const PATIENCE_MS = 5000

const ALL = { key: 'AA==', range_end: 'AA==' }

/**
 * Returns shortly after a write that no other one follows at once, when the next write is least likely: clients write at a
 * steady rate or several times in a row. It also returns if no writes occur, if they never pause, or if etcd does not
 * report them.
 *
 * @throws {Error} the reason of `signal`, when it fires.
 */
export async function nextLull(connection: EtcdConnection, signal: AbortSignal): Promise<void> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal, AbortSignal.timeout(PATIENCE_MS)])
  try {
    const body = { create_request: ALL }
    await lullIn(await postToEtcd(connection, { path: '/v3/watch', body, signal: either }))
  } catch {
    signal.throwIfAborted()
  } finally {
    stop.abort()
  }
}

/**
 * Returns `QUIET_MS` after a write that no other one follows, after `IDLE_MS` without any, or when the stream ends.
 * @param writes the watch of etcd: a first message that confirms it, and then one for each write.
 * @throws {Error} the error of the stream.
 */
export async function lullIn(writes: Readable): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      writes.once('close', resolve).once('error', reject)
      timer = setTimeout(resolve, IDLE_MS)
      writes.once('data', () => {
        writes.on('data', () => {
          clearTimeout(timer)
          timer = setTimeout(resolve, QUIET_MS)
        })
      })
    })
  } finally {
    clearTimeout(timer)
  }
}
