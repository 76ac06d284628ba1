import { expect, test } from 'vitest'
import { checksumOf } from '../../../src/manifests/values/checksum.ts'

test('is the same for the same files in any order', () => {
  expect(checksumOf({ a: '1', b: '2' })).toBe(checksumOf({ b: '2', a: '1' }))
})

test.for([
  [{ a: '1' }, { a: '2' }],
  [{ a: '1' }, { b: '1' }],
  [{ a: '1' }, { a: '1', b: '' }],
  [
    { a: 'b', c: 'd' },
    { a: 'd', c: 'b' },
  ],
] as Array<[Record<string, string>, Record<string, string>]>)(
  'tells %j from %j',
  ([one, other]) => {
    expect(checksumOf(one)).not.toBe(checksumOf(other))
  },
)
