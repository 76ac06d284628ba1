import { chooseLastingPorts } from '../../../src/shared/network/ports.ts'

const given = new Set<number>()

/** A free port of the loopback address, never the same twice, which no outgoing connection takes before it is used. */
export async function freePort(): Promise<number> {
  const [port = 0] = await chooseLastingPorts(1, given)
  given.add(port)
  return port
}
