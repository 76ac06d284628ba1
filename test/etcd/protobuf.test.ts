import { expect, test } from 'vitest'
import { exactNumber, protobufFields, protobufMessage } from '../../src/etcd/protobuf.ts'

test('reads numbers and bytes, and passes over what is of a fixed length', () => {
  const message = Buffer.from('08ac0212036162631901020304050607ff250102030412017a', 'hex')

  expect(protobufFields(message)).toEqual({
    numbers: new Map([[1, 300]]),
    varints: new Map([[1, Buffer.from('ac02', 'hex')]]),
    bytes: new Map([[2, Buffer.from('z')]]),
    lists: new Map([[2, ['abc', 'z'].map((text) => Buffer.from(text))]]),
  })
})

test('reads a number of more than 32 bits', () => {
  const message = Buffer.from('1080808080800a', 'hex')

  expect(protobufFields(message)?.numbers.get(2)).toBe(10 * 2 ** 35)
})

test.for([
  ['cut off in a text', '120361'],
  ['cut off in a length', '12ff'],
  ['cut off in a number', '08'],
  ['cut off in a tag', '80'],
  ['of another kind', '0b'],
] as const)('takes nothing for a message that is %s', ([, hex]) => {
  expect(protobufFields(Buffer.from(hex, 'hex'))).toBeUndefined()
})

test('takes nothing at all for a message without fields', () => {
  expect(protobufFields(Buffer.alloc(0))).toEqual({
    numbers: new Map(),
    varints: new Map(),
    bytes: new Map(),
    lists: new Map(),
  })
})

test('writes what it reads, and leaves out what is zero or empty', () => {
  const message = protobufMessage([
    [1, 300],
    [2, Buffer.from('z'.repeat(200))],
    [3, 0],
    [4, Buffer.alloc(0)],
    [5, 2 ** 50],
  ])

  expect(protobufFields(message)).toMatchObject({
    numbers: new Map([
      [1, 300],
      [5, 2 ** 50],
    ]),
    bytes: new Map([[2, Buffer.from('z'.repeat(200))]]),
  })
})

test.for([1n, 300n, 2n ** 53n + 1n, 2n ** 63n - 1n])('keeps all digits of %d', (number) => {
  const varint = protobufFields(protobufMessage([[1, number]]))?.varints.get(1)

  expect(exactNumber(varint ?? Buffer.alloc(0))).toBe(number)
})
