import type { Readable } from 'node:stream'
import type { EtcdConnection } from '../etcd-connection.ts'
import { postToEtcd } from '../post-to-etcd.ts'

/** For how long nothing may follow a write, in milliseconds: longer than one takes, shorter than steady writers rest. */
const QUIET_MS = 10

/** For how long nobody may write at all, in milliseconds. */
const IDLE_MS = 1000

/** How long a lull is waited for, in milliseconds. */
const PATIENCE_MS = 5000

/** From the least key to the last. */
const ALL = { key: 'AA==', range_end: 'AA==' }

/**
 * Returns right after a write that no other one followed at once, which is when the next one is least to be expected: those
 * who write do so at a steady rate or several times in a row. It returns, too, when there are no writes, when they never
 * end, or when etcd does not tell of them.
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
 * Returns `QUIET_MS` after a write that none followed, after `IDLE_MS` without any, and when they end.
 *
 * @param writes what etcd tells of them: first that it does, and then of each.
 * @throws {Error} what breaks it off.
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
