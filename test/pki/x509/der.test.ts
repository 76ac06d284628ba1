import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bitString,
  bytesOf,
  fromDer,
  integer,
  isTagged,
  isTrue,
  itemsOf,
  none,
  objectIdentifier,
  octetString,
  sequence,
  setOf,
  tagged,
  time,
  toDer,
  utf8String,
} from '../../../src/pki/x509/der.ts'

const bytes = (maxLength: number) =>
  fc.uint8Array({ minLength: 1, maxLength }).map((array) => Buffer.from(array))

test.for([
  ['an empty sequence', sequence([]), '3000'],
  ['true', isTrue(), '0101ff'],
  ['nothing', none(), '0500'],
  ['version 3', integer(Buffer.from([2])), '020102'],
  ['an object identifier', objectIdentifier('1.2.840.10045.4.3.2'), '06082a8648ce3d040302'],
  ['an object identifier of the directory', objectIdentifier('2.5.29.37'), '0603551d25'],
  ['text', utf8String('ü'), '0c02c3bc'],
  ['bytes', octetString(Buffer.from([0, 255])), '040200ff'],
  ['whole bits', bitString(Buffer.from([1])), '03020001'],
  ['some bits', bitString(Buffer.from([0x86]), 1), '03020186'],
  ['a set', setOf(none()), '31020500'],
  ['a tag around a node', tagged(0, integer(Buffer.from([2]))), 'a003020102'],
  ['a tag around bytes', tagged(2, Buffer.from('a')), '820161'],
] as const)('encodes %s', ([, node, expected]) => {
  expect(toDer(node).toString('hex')).toBe(expected)
})

test.for([
  ['2049-12-31T23:59:59.999Z', 0x17, '491231235959Z'],
  ['2050-01-01T00:00:00.000Z', 0x18, '20500101000000Z'],
  ['2000-02-29T01:02:03.004Z', 0x17, '000229010203Z'],
  ['2131-10-09T08:07:06.000Z', 0x18, '21311009080706Z'],
] as const)('writes the time %s with the tag that its year asks for', ([date, tag, text]) => {
  const der = toDer(time(new Date(date)))

  expect(der[0]).toBe(tag)
  expect(der.subarray(2).toString()).toBe(text)
})

test('writes lengths in their shortest form', () => {
  const headers = [127, 128, 255, 256, 65_536].map((length) =>
    toDer(octetString(Buffer.alloc(length)))
      .subarray(1, 5)
      .toString('hex'),
  )

  expect(headers).toEqual(['7f000000', '81800000', '81ff0000', '82010000', '83010000'])
})

test('decodes what it encoded, with the same bytes', () => {
  fc.assert(
    fc.property(bytes(300), bytes(300), (first, second) => {
      const der = toDer(sequence([octetString(first), tagged(7, second), bitString(second)]))
      const [octets, address, bits] = itemsOf(fromDer(der))

      expect(bytesOf(octets)).toEqual(first)
      expect(bytesOf(address)).toEqual(second)
      expect(bytesOf(bits)).toEqual(Buffer.concat([Buffer.from([0]), second]))
      expect(toDer(fromDer(der))).toEqual(der)
    }),
  )
})

test('distinguishes nodes by their tags', () => {
  expect(isTagged(tagged(3, none()), 3)).toBe(true)
  expect(isTagged(tagged(3, none()), 0)).toBe(false)
  expect(isTagged(bitString(Buffer.from([1])), 3)).toBe(false)
})

test('has no items in bytes and no bytes in items', () => {
  expect(itemsOf(octetString(Buffer.from('a')))).toEqual([])
  expect(itemsOf(undefined)).toEqual([])
  expect(bytesOf(sequence([none()]))).toHaveLength(0)
  expect(bytesOf(undefined)).toHaveLength(0)
})
