import { setTimeout as delay } from 'node:timers/promises'
import { shakeHands } from '../shake-hands.ts'

// A client in a process of its own: `tls-client.ts PORT` shakes hands once, `tls-client.ts PORT SECONDS` every 20 ms until
// then or SIGTERM. It prints how often, and the errors. It trusts anybody: the bytes matter, not the identity.

const [port = 0, seconds] = process.argv.slice(2).map(Number)
let until = performance.now() + (seconds ?? 0) * 1000
process.once('SIGTERM', () => (until = 0))
const errors: string[] = []
const handshakes: Array<Promise<void>> = []
do {
  handshakes.push(shakeHands(port).catch((error: unknown) => void errors.push(String(error))))
  await delay(20)
} while (performance.now() < until)
await Promise.all(handshakes)
process.stdout.write(JSON.stringify({ count: handshakes.length, errors }))
