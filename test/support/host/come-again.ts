import { Agent, get } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

export interface ComeAgainOptions {
  ca: string
  /** The name that the client asks for, and expects in the certificate. @default that of the URL */
  servername?: string
  outcomes: Map<string, number>
}

/** A client that makes a new connection every 20 ms, whatever becomes of the others, and counts the answers. */
export function comeAgain(
  url: string,
  { outcomes, ...tls }: ComeAgainOptions,
): Disposable & { end: () => Promise<void> } {
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
  const note = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  const open = new Set<number>()
  let count = 0
  const come = () => {
    const id = (count += 1)
    open.add(id)
    get(url, { agent, ...tls }, (response) => {
      const { statusCode } = response
      if (statusCode === 200) {
        note('200')
        response.resume()
      } else {
        void text(response).then(
          (body) => note(`${statusCode} ${failedIn(body)}`),
          ({ message }: Error) => note(message),
        )
      }
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

/** The checks that have failed, if kube-apiserver is not ready. */
function failedIn(body: string): string {
  const failed = body.split('\n').filter((line) => line.startsWith('[-]'))
  return failed.length === 0 ? body : failed.join()
}

/** A connection is held so long, less what its client notices late, in seconds. */
const HELD_SECONDS = 8.5

/** How long a client waited for a plane that it woke. */
export interface WakeOfPlane {
  seconds: number
}

/**
 * The outcomes that no client of a plane that sleeps may see, when these were its wakes. On an overloaded machine a wake takes longer than a connection is
 * held: then a refusal with an alert is expected.
 */
export function unexpectedOf(
  outcomes: ReadonlyMap<string, number>,
  wakes: readonly WakeOfPlane[] = [],
): string[] {
  const isSlow = wakes.some(({ seconds }) => seconds > HELD_SECONDS)
  return [...outcomes.keys()].filter(
    (outcome) => outcome !== '200' && !(isSlow && outcome.includes('alert internal error')),
  )
}
