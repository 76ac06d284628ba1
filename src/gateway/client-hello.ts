/** What a client says first over TLS. */
export interface ClientHello {
  /** The name of the server that it asks for, in lower case. @default it names none, or not a host name */
  serverName?: string
}

/** A ClientHello may take so many bytes, with the headers of its records; those of browsers and Go take up to 2 KiB. */
export const MAX_HELLO_BYTES = 16_384

const RECORD_HEADER = 5
const HANDSHAKE_HEADER = 4
const HANDSHAKE = 22
const CLIENT_HELLO = 1
const VERSION_MAJOR = 3
/** RFC 8446, section 5.1. */
const MAX_FRAGMENT = 16_384

const SERVER_NAME = 0
const HOST_NAME = 0
const HOST_PATTERN = /^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9])?$/

/**
 * Reads the ClientHello (RFC 8446, section 4.1.2) at the start of one connection, also from several records. It reads each
 * byte once, since a client may send each in a packet of its own.
 */
export class ClientHelloReader {
  /** The handshake message so far, without the headers of its records. */
  #message: Buffer = Buffer.alloc(0)
  /** Where the message ends, or its own header. */
  #end = HANDSHAKE_HEADER
  /** How many bytes of the connection were read. */
  #at = 0
  /** How many bytes the current record still has. */
  #left = 0

  /**
   * Gets all bytes of the connection so far. Returns `incomplete` while bytes are missing, and `invalid` for anything else than
   * a ClientHello of at most 16 KiB.
   */
  read(bytes: Buffer): ClientHello | 'incomplete' | 'invalid' {
    const fragments = [this.#message]
    let received = this.#message.length
    while (received < this.#end && this.#at < bytes.length) {
      if (this.#left === 0) {
        const length = recordLength(bytes.subarray(this.#at, this.#at + RECORD_HEADER))
        if (length === 'invalid') {
          return 'invalid'
        }
        if (length === 'incomplete') {
          break
        }
        this.#left = length
        this.#at += RECORD_HEADER
      }
      const fragment = bytes.subarray(this.#at, this.#at + this.#left)
      fragments.push(fragment)
      received += fragment.length
      this.#at += fragment.length
      this.#left -= fragment.length
      if (received >= this.#end && this.#end === HANDSHAKE_HEADER) {
        const message = Buffer.concat(fragments)
        this.#end += message.readUIntBE(1, 3)
        if (message[0] !== CLIENT_HELLO || this.#end > MAX_HELLO_BYTES) {
          return 'invalid'
        }
      }
    }
    this.#message = Buffer.concat(fragments)
    if (received < this.#end) {
      return bytes.length < MAX_HELLO_BYTES ? 'incomplete' : 'invalid'
    }
    try {
      return parseHello(this.#message.subarray(HANDSHAKE_HEADER, this.#end))
    } catch {
      return 'invalid'
    }
  }
}

/** The length of the content of a record, from the bytes of its header. */
function recordLength(header: Buffer): number | 'incomplete' | 'invalid' {
  const [type, major = VERSION_MAJOR] = header
  if (type !== HANDSHAKE || major !== VERSION_MAJOR) {
    return 'invalid'
  }
  if (header.length < RECORD_HEADER) {
    return 'incomplete'
  }
  const length = header.readUInt16BE(3)
  return length === 0 || length > MAX_FRAGMENT ? 'invalid' : length
}

/** @throws {RangeError} when a length in it exceeds its end. */
function parseHello(hello: Buffer): ClientHello {
  const reader = new Reader(hello)
  reader.take(2 + 32)
  reader.vector(1)
  reader.vector(2)
  reader.vector(1)
  const extensions = new Reader(reader.isAtEnd ? Buffer.alloc(0) : reader.vector(2))
  while (!extensions.isAtEnd) {
    const type = extensions.number(2)
    const data = extensions.vector(2)
    if (type === SERVER_NAME) {
      const serverName = hostName(data)
      return serverName === undefined ? {} : { serverName }
    }
  }
  return {}
}

/** RFC 6066, section 3. */
function hostName(data: Buffer): string | undefined {
  const names = new Reader(new Reader(data).vector(2))
  while (!names.isAtEnd) {
    const type = names.number(1)
    const name = names.vector(2).toString('latin1').toLowerCase()
    if (type === HOST_NAME) {
      return HOST_PATTERN.test(name) ? name : undefined
    }
  }
  return undefined
}

class Reader {
  #at = 0
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  take(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#bytes.length) {
      throw new RangeError('a length exceeds the message')
    }
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  number(bytes: number): number {
    return this.take(bytes).readUIntBE(0, bytes)
  }

  /** Bytes after their own length, which takes `lengthBytes`. */
  vector(lengthBytes: number): Buffer {
    return this.take(this.number(lengthBytes))
  }
}
