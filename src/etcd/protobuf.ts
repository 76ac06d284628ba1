const VARINT = 0
const FIXED64 = 1
const LENGTH_DELIMITED = 2
const FIXED32 = 5

/** The fields of a message by their numbers; of a repeated field, the last one. */
export interface ProtobufFields {
  /** Numbers, exact up to 2^53. */
  numbers: Map<number, number>
  /** Texts, bytes and messages, as views of the whole message. */
  bytes: Map<number, Buffer>
  /** The same with all values of repeated fields. */
  lists: Map<number, Buffer[]>
}

/** Parses a message (protobuf.dev/programming-guides/encoding); undefined if it is invalid or incomplete. */
export function protobufFields(message: Buffer): ProtobufFields | undefined {
  const fields: ProtobufFields = { numbers: new Map(), bytes: new Map(), lists: new Map() }
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
      fields.numbers.set(number, varint())
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
  fields: ReadonlyArray<readonly [number: number, value: number | Buffer]>,
): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') {
        return value === 0 ? [] : [varintOf(number * 8 + VARINT), varintOf(value)]
      }
      return value.length === 0
        ? []
        : [varintOf(number * 8 + LENGTH_DELIMITED), varintOf(value.length), value]
    }),
  )
}

function varintOf(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
    bytes.push((rest % 0x80) + 0x80)
  }
  return Buffer.from([...bytes, rest])
}
