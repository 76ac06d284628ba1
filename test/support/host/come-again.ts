import { Agent, get } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'

/** A client that makes a new connection every 20 ms, whatever becomes of the others, and counts the answers. */
export function comeAgain(
  url: string,
  { ca, outcomes }: { ca: string; outcomes: Map<string, number> },
): Disposable & { end: () => Promise<void> } {
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
  const note = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  const open = new Set<number>()
  let count = 0
  const come = () => {
    const id = (count += 1)
    open.add(id)
    get(url, { agent, ca }, (response) => {
      note(String(response.statusCode))
      response.resume()
    })
      .on('error', ({ message }) => note(message))
      .on('close', () => open.delete(id))
  }
  const timer = setInterval(come, 20)
  return {
    end: async () => {
      clearInterval(timer)
      while (open.size > 0) {
        await delay(20)
      }
    },
    [Symbol.dispose]: () => {
      clearInterval(timer)
      agent.destroy()
    },
  }
}
