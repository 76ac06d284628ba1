import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const EVERY_MS = 5

/** A connection that is open for so long was accepted. */
const OPEN_MS = 100

interface Attempt {
  at: number
  isLost: boolean
}

/** Connects to a port of 127.0.0.1 every 5 ms until its end, which returns how long connections were refused or reset, each time. */
export function watchPort(port: number): Disposable & { end: () => Promise<number[]> } {
  const attempts: Array<Promise<Attempt>> = []
  const timer = setInterval(() => attempts.push(attempt(port)), EVERY_MS)
  return {
    end: async () => {
      clearInterval(timer)
      return gapsOf(await Promise.all(attempts))
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

async function attempt(port: number): Promise<Attempt> {
  const at = performance.now()
  const socket = connect({ host: '127.0.0.1', port })
  const lost = new Promise<true>((resolve) => {
    socket.on('error', () => {})
    socket.once('close', () => resolve(true))
  })
  const isLost = (await Promise.race([lost, delay(OPEN_MS)])) ?? false
  socket.destroy()
  return { at, isLost }
}

/** The times from the first attempt that was lost to the next one that was not, in milliseconds. */
function gapsOf(attempts: readonly Attempt[]): number[] {
  const gaps: number[] = []
  let since: number | undefined
  for (const { at, isLost } of attempts) {
    if (isLost) {
      since ??= at
    } else if (since !== undefined) {
      gaps.push(at - since)
      since = undefined
    }
  }
  return gaps
}
