import { appendFile, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lastLines, readLog } from '../../../../src/drivers/local/logs/read-log.ts'
import { waitFor } from '../../../../src/shared/wait.ts'

const { signal } = new AbortController()

test('reads a whole log, of many chunks', async () => {
  await using log = await logWith('0123456789abcde\n'.repeat(20_000))

  const chunks = await Array.fromAsync(readLog(log.path, { follow: false }, signal))

  expect(chunks.length).toBeGreaterThan(1)
  expect(chunks.join('')).toBe('0123456789abcde\n'.repeat(20_000))
})

test('has nothing to read where there is no log', async () => {
  const path = join(tmpdir(), 'vplane-no-such-log')

  expect(await Array.fromAsync(readLog(path, { follow: true }, signal))).toEqual([])
  expect(await lastLines(path, 3)).toEqual([])
})

test.for([
  [0, ''],
  [1, 'three\n'],
  [2, 'two\nthree\n'],
  [3, 'one\ntwo\nthree\n'],
  [99, 'one\ntwo\nthree\n'],
] as const)('reads the last %i lines', async ([tail, expected]) => {
  await using log = await logWith('one\ntwo\nthree\n')

  const chunks = await Array.fromAsync(readLog(log.path, { tail, follow: false }, signal))

  expect(chunks.join('')).toBe(expected)
})

test('counts a line without an end, and empty ones', async () => {
  await using log = await logWith('one\n\ntwo')

  const read = (tail: number) => Array.fromAsync(readLog(log.path, { tail, follow: false }, signal))

  expect((await read(1)).join('')).toBe('two')
  expect((await read(2)).join('')).toBe('\ntwo')
})

test('finds the last lines behind very long ones', async () => {
  const long = 'x'.repeat(200_000)
  await using log = await logWith(`first\n${long}\n${long}\nlast\n`)

  const chunks = await Array.fromAsync(readLog(log.path, { tail: 3, follow: false }, signal))

  expect(chunks.join('')).toBe(`${long}\n${long}\nlast\n`)
})

test('keeps letters of several bytes whole where chunks meet', async () => {
  const text = `x${'ä€🚀'.repeat(30_000)}\n`
  await using log = await logWith(text)

  const chunks = await Array.fromAsync(readLog(log.path, { follow: false }, signal))

  expect(chunks.length).toBeGreaterThan(1)
  expect(chunks.join('')).toBe(text)
})

test('gives the last lines as they are, without empty ones', async () => {
  await using log = await logWith('one\ntwo\n\nthree\n')

  expect(await lastLines(log.path, 3)).toEqual(['two', 'three'])
})

test('goes on with what is appended, until the signal fires', async () => {
  await using log = await logWith('one\n')
  await using follower = follow(log.path)
  await follower.until('one\n')

  await appendFile(log.path, 'two\n')
  await follower.until('one\ntwo\n')
  await appendFile(log.path, 'three\n')
  await follower.until('one\ntwo\nthree\n')

  await follower.stop()
  expect(follower.text()).toBe('one\ntwo\nthree\n')
})

test('follows from the end when no old lines are wanted', async () => {
  await using log = await logWith('old\n')
  await using follower = follow(log.path, { tail: 0 })

  await waitFor(
    async () => {
      await appendFile(log.path, 'new\n')
      return follower.text() !== ''
    },
    { what: 'what is appended', timeoutMs: 5000 },
  )

  expect(follower.text()).toMatch(/^(new\n)+$/)
})

test('goes on at the new beginning when a log is cut', async () => {
  await using log = await logWith('a long line that is cut\n')
  await using follower = follow(log.path)
  await follower.until('a long line that is cut\n')

  await truncate(log.path, 0)
  await appendFile(log.path, 'kept\n')

  await follower.until('a long line that is cut\nkept\n')
})

test('ends when the log is deleted, after the last line', async () => {
  await using log = await logWith('one\n')
  await using follower = follow(log.path)
  await follower.until('one\n')

  await rename(log.path, `${log.path}.old`)
  await appendFile(`${log.path}.old`, 'two\n')
  await rm(`${log.path}.old`)

  await follower.ended
  expect(follower.text()).toBe('one\ntwo\n')
})

test('ends at once when the signal has fired', async () => {
  await using log = await logWith('one\n')

  const chunks = await Array.fromAsync(readLog(log.path, { follow: true }, AbortSignal.abort()))

  expect(chunks).toEqual(['one\n'])
})

test('lets go of the file when its reader stops early', async () => {
  await using log = await logWith('one\n')
  const { signal } = new AbortController()

  for await (const chunk of readLog(log.path, { follow: true }, signal)) {
    expect(chunk).toBe('one\n')
    break
  }

  const watchers = process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap')
  expect(watchers).toEqual([])
})

interface Follower extends AsyncDisposable {
  text(): string
  until(text: string): Promise<unknown>
  stop(): Promise<void>
  ended: Promise<void>
}

function follow(path: string, options: { tail?: number } = {}): Follower {
  const stopping = new AbortController()
  let text = ''
  const read = async () => {
    for await (const chunk of readLog(path, { follow: true, ...options }, stopping.signal)) {
      text += chunk
    }
  }
  const ended = read()
  const stop = () => {
    stopping.abort()
    return ended
  }
  return {
    text: () => text,
    until: (expected) =>
      waitFor(() => Promise.resolve(text === expected), {
        what: `${JSON.stringify(expected)}, have ${JSON.stringify(text)}`,
        timeoutMs: 5000,
        intervalMs: 5,
      }),
    stop,
    ended,
    [Symbol.asyncDispose]: stop,
  }
}

async function logWith(text: string): Promise<AsyncDisposable & { path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'vplane-log-'))
  const path = join(folder, 'etcd.log')
  await writeFile(path, text)
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}
