const VARINT = 0
const FIXED64 = 1
const LENGTH_DELIMITED = 2
const FIXED32 = 5

/** The fields of a message by their numbers; of a repeated field, the last one. */
export interface ProtobufFields {
  /** Numbers, exact up to 2^53. */
  numbers: Map<number, number>
  /** The same as they are encoded, for `exactNumber`. */
  varints: Map<number, Buffer>
  /** Texts, bytes and messages, as views of the whole message. */
  bytes: Map<number, Buffer>
  /** The same with all values of repeated fields. */
  lists: Map<number, Buffer[]>
}

/** Parses a message (protobuf.dev/programming-guides/encoding); undefined if it is invalid or incomplete. */
export function protobufFields(message: Buffer): ProtobufFields | undefined {
  const fields: ProtobufFields = {
    numbers: new Map(),
    varints: new Map(),
    bytes: new Map(),
    lists: new Map(),
  }
  let at = 0
  const varint = () => {
    let value = 0
    for (let factor = 1; ; factor *= 0x80) {
      const byte = message[at] ?? Number.NaN
      at += 1
      value += (byte & 0x7f) * factor
      // An incomplete number is NaN, and nothing follows it.
      if (!(byte >= 0x80)) {
        return Number.isNaN(byte) ? Number.NaN : value
      }
    }
  }
  while (at < message.length) {
    const tag = varint()
    const number = Math.floor(tag / 8)
    const type = tag % 8
    if (type === VARINT) {
      const start = at
      fields.numbers.set(number, varint())
      fields.varints.set(number, message.subarray(start, at))
    } else if (type === LENGTH_DELIMITED) {
      const length = varint()
      const value = message.subarray(at, at + length)
      fields.bytes.set(number, value)
      const list = fields.lists.get(number) ?? []
      list.push(value)
      fields.lists.set(number, list)
      at += length
    } else if (type === FIXED64 || type === FIXED32) {
      at += type === FIXED64 ? 8 : 4
    } else {
      return undefined
    }
  }
  return at === message.length ? fields : undefined
}

/** A message of fields with numbers from 0 and bytes; a field that is zero or empty is left out, as in proto3. */
export function protobufMessage(
  fields: ReadonlyArray<readonly [number: number, value: number | bigint | Buffer]>,
): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number' || typeof value === 'bigint') {
        return BigInt(value) === 0n ? [] : [varintOf(number * 8 + VARINT), varintOf(value)]
      }
      return value.length === 0
        ? []
        : [varintOf(number * 8 + LENGTH_DELIMITED), varintOf(value.length), value]
    }),
  )
}

function varintOf(value: number | bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt(value)
  for (; rest >= 0x80n; rest >>= 7n) {
    bytes.push(Number(rest & 0x7fn) + 0x80)
  }
  return Buffer.from([...bytes, Number(rest)])
}

/** An encoded number of up to 64 bits without a sign. */
export function exactNumber(varint: Buffer): bigint {
  let value = 0n
  for (const byte of varint.toReversed()) {
    value = (value << 7n) | BigInt(byte & 0x7f)
  }
  return value
}
