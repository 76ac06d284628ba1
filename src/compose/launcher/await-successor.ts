import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../../shared/errors.ts'

const CHECK_MS = 5000

/** How long the vplane that replaces another one may be incomplete, in milliseconds. */
const PATIENCE_MS = 60_000

export interface Succession {
  /** Whether another keeper waits for the end of this one. */
  isAwaited: () => boolean
  /** Whether this vplane is no longer on the disk. */
  isReplaced: () => boolean
  /** Starts the keeper of another vplane. Returns when that waits for the end of this one, or has ended. @default none is started */
  launch?: (() => Promise<void>) | undefined
  log: (line: string) => void
  signal: AbortSignal
  /** @default 5000 */
  checkMs?: number
  /** @default 60000 */
  patienceMs?: number
}

/**
 * Returns when a keeper is to end, because another one waits for that or because its vplane was replaced: code that it
 * has not loaded yet does not exist any more. It continues until the next one waits, if that starts within a minute.
 */
export async function awaitSuccessor({
  checkMs = CHECK_MS,
  isAwaited,
  isReplaced,
  launch,
  log,
  patienceMs = PATIENCE_MS,
  signal,
}: Succession): Promise<void> {
  let replacedAt: number | undefined
  while (!signal.aborted && !isAwaited()) {
    await delay(checkMs, undefined, { signal }).catch(() => {})
    if (signal.aborted || !isReplaced()) {
      continue
    }
    replacedAt ??= performance.now()
    if (launch === undefined || performance.now() - replacedAt > patienceMs) {
      return
    }
    await launch().catch((error: unknown) => log(`error: ${messageOf(error)}`))
  }
}
