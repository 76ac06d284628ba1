import { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { limitedStream } from '../../../src/compose/operator/limited-stream.ts'

/** A server that answers what it reads, and then sends bytes. */
function server(bytes: number) {
  const read: string[] = []
  const stream = new Duplex({
    write(chunk, _encoding, done) {
      read.push(String(chunk))
      this.push(Buffer.alloc(bytes))
      this.push(null)
      done()
    },
    read: () => {},
  })
  return { read, stream }
}

test('passes on what both sides send', async () => {
  const { read, stream } = server(64)
  const limited = limitedStream(stream, { mostBytes: 64 })

  limited.end('SELECT 1')

  expect(await buffer(limited)).toHaveLength(64)
  expect(read).toEqual(['SELECT 1'])
})

test('ends a stream whose server sends too much', async () => {
  const { stream } = server(65)
  const limited = limitedStream(stream, { mostBytes: 64 })

  limited.write('SELECT 1')

  await expect(buffer(limited)).rejects.toThrow('the server sends too much')
  await expect.poll(() => stream.destroyed).toBe(true)
})

test('ends a stream whose server is too slow', async () => {
  const stream = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
  const limited = limitedStream(stream, { longestMs: 10 })

  await expect(buffer(limited)).rejects.toThrow('the server is too slow')
  await expect.poll(() => stream.destroyed).toBe(true)
})
