import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { CHUNK_BYTES, sumOf, TAG_BYTES } from '../../src/backup/bundle/bundle-format.ts'
import { sealed, unsealed } from '../../src/backup/bundle/seal.ts'
import type { VplaneError } from '../../src/shared/errors.ts'
import { inPieces } from '../support/data/in-pieces.ts'
import { rejectionOf } from '../support/thrown-by.ts'

const OPEN = { passphrase: 'correct horse', source: 'the bundle' }
const PLAIN = Buffer.alloc(2 * CHUNK_BYTES + 1000, 'contents')

describe('a sealed bundle', () => {
  let whole: Buffer
  let body: number

  beforeAll(async () => {
    whole = await buffer(sealed(inPieces(PLAIN, 10_000), OPEN.passphrase))
    body = whole.indexOf('\n', whole.indexOf('\n') + 1) + 1
  })

  test('opens with its passphrase, however its bytes arrive', async () => {
    for (const size of [1000, CHUNK_BYTES, whole.length]) {
      const opened = await buffer(unsealed(inPieces(whole, size), OPEN))
      expect(opened.equals(PLAIN)).toBe(true)
    }
  })

  test('reveals nothing of its content', () => {
    expect(whole.includes('contents')).toBe(false)
  })

  test('opens with no other passphrase', async () => {
    const failure = await failureOf(whole, { ...OPEN, passphrase: 'Correct horse' })

    expect(failure.message).toBe('the passphrase is not that of the bundle')
  })

  test.for([
    ['in its header', (): number => 60, 'its first line'],
    ['in the checksum of its header', (): number => body - 2, 'its first line'],
    ['in its first part', (): number => body + 5, 'part 1 of it'],
    ['in its last part', (): number => whole.length - 1, 'part 3 of it'],
  ] as const)('does not open when one bit is another %s', async ([, at, where]) => {
    const flipped = Buffer.from(whole)
    flipped[at()] = (flipped[at()] ?? 0) ^ 1

    const failure = await failureOf(flipped)

    expect(failure.code).toBe('FAILED')
    expect(failure.message).toContain(`the bundle is damaged: ${where}`)
  })

  test.for([
    ['takes days', { p: 900_000 }],
    ['takes much memory', { N: 2 ** 19 }],
    ['does not exist', { N: 3 }],
  ] as const)('does not open with a cost that %s', async ([, other]) => {
    const [text = '{}'] = whole.toString('latin1').split('\n')
    const header = JSON.parse(text)
    const hostile = JSON.stringify({ ...header, cost: { ...header.cost, ...other } })
    const head = Buffer.from(`${hostile}\n${sumOf(hostile)}\n`)

    const failure = await failureOf(Buffer.concat([head, whole.subarray(body)]))

    expect(failure.code).toBe('FAILED')
    expect(failure.message).toContain('the bundle is damaged: fields are missing')
  })

  test('does not open without its end, nor with parts in another order', async () => {
    const part = CHUNK_BYTES + TAG_BYTES
    const head = whole.subarray(0, body)
    const one = whole.subarray(body, body + part)
    const two = whole.subarray(body + part, body + 2 * part)
    const rest = whole.subarray(body + 2 * part)

    for (const pieces of [[head, one, two], [head, two, one, rest], [head], []]) {
      expect((await failureOf(Buffer.concat(pieces))).message).toContain('is damaged')
    }
  })
})

test.for([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1])('stores %d bytes', async (size) => {
  const plain = Buffer.alloc(size, 7)

  const bundle = sealed(inPieces(plain, 5000), OPEN.passphrase)

  expect((await buffer(unsealed(bundle, OPEN))).equals(plain)).toBe(true)
})

function failureOf(bytes: Buffer, options = OPEN): Promise<VplaneError> {
  return rejectionOf(buffer(unsealed(inPieces(bytes, 50_000), options)))
}
