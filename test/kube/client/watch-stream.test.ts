import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJsonLines } from '../../../src/kube/client/watch-stream.ts'

test('joins lines that are cut anywhere, in the middle of characters too', async () => {
  const text = '{"a":"ü€😀"}\n{"b":"\\n"}\n'
  const bytes = Buffer.from(text)

  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const values = await parse([bytes.subarray(0, cut), bytes.subarray(cut)])
    expect(values).toEqual([{ a: 'ü€😀' }, { b: '\n' }])
  }
})

test('gives back any values in chunks of any size', async () => {
  const cases = fc.asyncProperty(
    fc.array(fc.jsonValue({ stringUnit: 'grapheme' })),
    fc.integer({ min: 1, max: 9 }),
    async (values, size) => {
      const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
      const chunks: Buffer[] = []
      for (let start = 0; start < bytes.length; start += size) {
        chunks.push(bytes.subarray(start, start + size))
      }

      expect(JSON.stringify(await parse(chunks))).toBe(JSON.stringify(values))
    },
  )

  await fc.assert(cases, { numRuns: 50 })
})

test('skips empty lines and reads a last line without an end', async () => {
  expect(await parse([Buffer.from('\n1\r\n\n2')])).toEqual([1, 2])
})

test('gives a value as soon as its line is there', async () => {
  const read: string[] = []
  async function* chunks(): AsyncGenerator<Buffer> {
    read.push('first')
    yield Buffer.from('1\n2\n3')
    read.push('second')
    yield Buffer.from('\n')
  }
  const values = parseJsonLines(chunks())

  expect((await values.next()).value).toBe(1)
  expect((await values.next()).value).toBe(2)
  expect(read).toEqual(['first'])
})

test('throws at a line that is not JSON, after the values before it', async () => {
  const values = parseJsonLines(toChunks([Buffer.from('1\n{"a":\n')]))

  expect((await values.next()).value).toBe(1)
  await expect(values.next()).rejects.toThrow(SyntaxError)
})

async function parse(chunks: Buffer[]): Promise<unknown[]> {
  return Array.fromAsync(parseJsonLines(toChunks(chunks)))
}

async function* toChunks(chunks: Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks
}
