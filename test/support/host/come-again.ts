import { Agent, get } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { HOLD_MS } from '../../../src/gateway/held-connection.ts'

export interface ComeAgainOptions {
  ca: string
  /** The name that the client asks for, and expects in the certificate. @default that of the URL */
  servername?: string
  /** A bearer token. @default none: an anonymous client */
  token?: string
  outcomes: Map<string, number>
}

/** A client that makes a new connection every 20 ms, whatever becomes of the others, and counts the answers. */
export function comeAgain(
  url: string,
  { outcomes, token, ...tls }: ComeAgainOptions,
): Disposable & { end: () => Promise<void> } {
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
  const note = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const open = new Set<number>()
  let count = 0
  const come = () => {
    const id = (count += 1)
    open.add(id)
    const startedAt = performance.now()
    get(url, { agent, headers, ...tls }, (response) => {
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
      .on('error', (error) => note(refusalOf(error, performance.now() - startedAt)))
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

/** What clients are told that were held as long as a gateway holds them: on a busy machine, a wake takes longer. */
const HELD = 'refused after 9 s'
const HELD_MS = HOLD_MS - 100

function refusalOf({ message }: Error, ms: number): string {
  return message.includes('alert internal error') && ms >= HELD_MS ? HELD : message
}

/** The outcomes that no client of a plane that sleeps may see. */
export function unexpectedOf(outcomes: ReadonlyMap<string, number>): string[] {
  return [...outcomes.keys()].filter((outcome) => outcome !== '200' && outcome !== HELD)
}
