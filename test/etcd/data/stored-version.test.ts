import { expect, test } from 'vitest'
import { storedVersionOf } from '../../../src/etcd/data/stored-version.ts'

/** How an Event begins in etcd: `TypeMeta`, then the object. */
const STORED = '6b3873000a0b0a02763112054576656e741200'

test.for([
  ['Protobuf', Buffer.from(STORED, 'hex'), 'v1'],
  ['Protobuf of a group', protobuf('scheduling.k8s.io/v1alpha1'), 'scheduling.k8s.io/v1alpha1'],
  ['Protobuf with a long length', protobuf(`${'g'.repeat(200)}/v1`), `${'g'.repeat(200)}/v1`],
  ['JSON', Buffer.from('{"apiVersion":"example.com/v1","kind":"Widget"}'), 'example.com/v1'],
] as const)('reads the version of %s', ([, value, version]) => {
  expect(storedVersionOf(value)).toBe(version)
})

test.for([
  ['encrypted', Buffer.from('k8s:enc:secretbox:v1:key-1:x')],
  ['empty', Buffer.alloc(0)],
  ['cut off', protobuf('apps/v1').subarray(0, 9)],
  ['cut off in a length', Buffer.from('k8s\0\x0a\xff', 'latin1')],
  ['another field first', Buffer.from('k8s\0\x12\x02ab', 'latin1')],
  ['a number', Buffer.from('1000')],
  ['no version', Buffer.from('{"apiVersion":7}')],
] as const)('knows none of what is %s', ([, value]) => {
  expect(storedVersionOf(value)).toBeUndefined()
})

function protobuf(apiVersion: string): Buffer {
  return Buffer.concat([Buffer.from('k8s\0'), field(field(Buffer.from(apiVersion)))])
}

/** Field 1 of a message. */
function field(bytes: Buffer): Buffer {
  const length: number[] = []
  for (let left = bytes.length; ; left >>= 7) {
    length.push(left >= 0x80 ? (left & 0x7f) | 0x80 : left)
    if (left < 0x80) {
      return Buffer.concat([Buffer.of(0x0a, ...length), bytes])
    }
  }
}
