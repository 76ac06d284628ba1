import { once } from 'node:events'
import { connect, isIPv4, isIPv6, type Socket } from 'node:net'
import { addressOfProxy, loginFor, type ProxyOptions, type Target } from './proxy-options.ts'

const VERSION = 5
const NO_LOGIN = 0
const LOGIN = 2
const CONNECT = 1
const ADDRESS_LENGTHS: Record<number, number> = { 1: 4, 4: 16 }
const BY_NAME = 3

/** Why a proxy cannot connect, by reply code (RFC 1928, section 6). */
const REFUSALS = [
  '',
  'it failed',
  'its rules do not allow it',
  'the network cannot be reached from there',
  'the host cannot be reached from there',
  'nothing listens there',
  'it took too long',
  'it does not know how to connect',
  'it does not know this kind of address',
]

/** A connection to a target through a SOCKS 5 proxy, which resolves names itself (RFC 1928 and 1929). */
export async function connectSocks(
  target: Target,
  { proxy, signal }: ProxyOptions,
): Promise<Socket> {
  const socket = connect(addressOfProxy(proxy))
  const stop = () => socket.destroy(new Error('it took too long'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    await once(socket, 'connect')
    const answer = new Answer(socket)
    await greet(socket, answer, loginFor(proxy))
    socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressOf(target)]))
    const [, status = 1, , kind = 1] = await answer.read(4)
    if (status !== 0) {
      throw new Error(REFUSALS[status] ?? `it refused with ${status}`)
    }
    const length = kind === BY_NAME ? (await answer.read(1))[0] : ADDRESS_LENGTHS[kind]
    await answer.read((length ?? 0) + 2)
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    // The time limit applies only to the attempt.
    signal.removeEventListener('abort', stop)
  }
}

async function greet(
  socket: Socket,
  answer: Answer,
  login: { user: string; password: string } | undefined,
): Promise<void> {
  const methods = login === undefined ? [NO_LOGIN] : [NO_LOGIN, LOGIN]
  socket.write(Buffer.from([VERSION, methods.length, ...methods]))
  const [version, method] = await answer.read(2)
  if (version !== VERSION) {
    throw new Error('it does not speak SOCKS 5')
  }
  if (method === LOGIN && login !== undefined) {
    socket.write(Buffer.concat([Buffer.from([1]), counted(login.user), counted(login.password)]))
    const [, status] = await answer.read(2)
    if (status !== 0) {
      throw new Error('it refused the user and password')
    }
  } else if (method !== NO_LOGIN) {
    throw new Error('it wants a login')
  }
}

/** Kind, address and port. */
function addressOf({ host, port }: Target): Buffer {
  const bytes = isIPv4(host)
    ? Buffer.from([1, ...host.split('.').map(Number)])
    : isIPv6(host)
      ? Buffer.from([4, ...bytesOfIpv6(host)])
      : Buffer.concat([Buffer.from([BY_NAME]), counted(host)])
  return Buffer.concat([bytes, Buffer.from([port >> 8, port & 0xff])])
}

function bytesOfIpv6(address: string): number[] {
  // The URL parser accepts all notations, including a trailing IPv4 address.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = short.split('::')
  const words = (part: string) => (part === '' ? [] : part.split(':'))
  const before = words(head)
  const after = words(tail ?? '')
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].flatMap((word) => {
    const value = Number.parseInt(word, 16)
    return [value >> 8, value & 0xff]
  })
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length > 255) {
    throw new Error('a name or password is longer than 255 bytes')
  }
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}

/** Reads exactly the bytes of a message: later ones belong to the target. */
class Answer {
  readonly #socket: Socket

  constructor(socket: Socket) {
    this.#socket = socket
  }

  async read(length: number): Promise<Buffer> {
    for (;;) {
      const bytes: unknown = this.#socket.read(length)
      if (bytes instanceof Buffer && bytes.length === length) {
        return bytes
      }
      if (this.#socket.readableEnded || this.#socket.destroyed) {
        throw this.#socket.errored ?? new Error('it hung up')
      }
      await this.#change()
    }
  }

  async #change(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const events = ['readable', 'end', 'error', 'close']
    events.forEach((event) => this.#socket.on(event, resolve))
    await promise
    events.forEach((event) => this.#socket.off(event, resolve))
  }
}
