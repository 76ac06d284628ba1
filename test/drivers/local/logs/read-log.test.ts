import { appendFile, rename, rm, truncate } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { lastLines, lastWords, readLog } from '../../../../src/drivers/local/logs/read-log.ts'
import { waitFor } from '../../../../src/shared/wait.ts'
import { temporaryLog } from './temporary-log.ts'

const TRACE = `
goroutine 1 [running]:
go.uber.org/zap.(*Logger).Panic(0x258c4ff1c500?, {0x12ce564?, 0x16?}, {0x258c4fc005c0, 0x1, 0x1})
	go.uber.org/zap@v1.27.0/logger.go:285 +0x4b
go.etcd.io/etcd/server/v3/etcdserver.bootstrapStorage(...)
	go.etcd.io/etcd/server/v3@v3.6.16/etcdserver/bootstrap.go:171
runtime.goexit()
	runtime/asm_amd64.s:1771
created by main.main in goroutine 7
	go.etcd.io/etcd/server/v3@v3.6.16/main.go:31 +0x28
`

const { signal } = new AbortController()
const NOW = Date.now()

test('reads a whole log in many chunks', async () => {
  await using log = await temporaryLog('0123456789abcde\n'.repeat(20_000))

  const chunks = await Array.fromAsync(readLog(log.path, { follow: false }, signal))

  expect(chunks.length).toBeGreaterThan(1)
  expect(chunks.join('')).toBe('0123456789abcde\n'.repeat(20_000))
})

test('reads nothing without a log', async () => {
  const path = '/nonexistent/vplane/etcd.log'

  expect(await Array.fromAsync(readLog(path, { follow: true }, signal))).toEqual([])
  expect(await lastLines(path, 3)).toEqual([])
  expect(await lastWords(path, 3)).toEqual([])
})

const THREE = 'one\ntwo\nthree\n'
const LONG = 'x'.repeat(200_000)

test.for([
  ['none of the lines', THREE, 0, ''],
  ['the last line', THREE, 1, 'three\n'],
  ['the last two lines', THREE, 2, 'two\nthree\n'],
  ['all lines', THREE, 3, THREE],
  ['no more than all lines', THREE, 99, THREE],
  ['a line without a newline', 'one\n\ntwo', 1, 'two'],
  ['an empty line', 'one\n\ntwo', 2, '\ntwo'],
  ['very long lines', `first\n${LONG}\n${LONG}\nlast\n`, 3, `${LONG}\n${LONG}\nlast\n`],
] as const)('reads from the end %s', async ([, text, tail, expected]) => {
  await using log = await temporaryLog(text)

  const chunks = await Array.fromAsync(readLog(log.path, { tail, follow: false }, signal))

  expect(chunks.join('')).toBe(expected)
})

test('reads no line that is written while it reads', async () => {
  await using log = await temporaryLog(THREE)
  const chunks: string[] = []

  for await (const chunk of readLog(log.path, { tail: 1, follow: false }, signal)) {
    chunks.push(chunk)
    await appendFile(log.path, 'four\n')
  }

  expect(chunks.join('')).toBe('three\n')
})

test('does not split characters of several bytes between chunks', async () => {
  const text = `x${'ä€🚀'.repeat(30_000)}\n`
  await using log = await temporaryLog(text)

  const chunks = await Array.fromAsync(readLog(log.path, { follow: false }, signal))

  expect(chunks.length).toBeGreaterThan(1)
  expect(chunks.join('')).toBe(text)
})

test('returns the last lines without empty ones', async () => {
  await using log = await temporaryLog('one\ntwo\n\nthree\n')

  expect(await lastLines(log.path, 3)).toEqual(['two', 'three'])
})

test('follows the log until the signal fires', async () => {
  await using log = await temporaryLog('one\n')
  await using follower = follow(log.path)
  await follower.until('one\n')

  await appendFile(log.path, 'two\n')
  await follower.until('one\ntwo\n')
  await appendFile(log.path, 'three\n')
  await follower.until(THREE)

  await follower.stop()
  expect(follower.text()).toBe(THREE)
})

test.for([
  ['from the end', 'old\n', { tail: 0 }],
  ['after old lines, even without a timestamp', line(600), { sinceMs: 300_000 }],
] as const)('follows what is written %s', async ([, old, options]) => {
  await using log = await temporaryLog(old)
  await using follower = follow(log.path, options)

  const appends = async () => {
    await appendFile(log.path, 'new\n')
    return follower.text() !== ''
  }
  await waitFor(appends, { what: 'appended lines', timeoutMs: 5000 })

  expect(follower.text()).toMatch(/^(new\n)+$/)
})

test('continues at the new start when a log is trimmed', async () => {
  await using log = await temporaryLog('a long line that is trimmed\n')
  await using follower = follow(log.path)
  await follower.until('a long line that is trimmed\n')

  await truncate(log.path, 0)
  await appendFile(log.path, 'new\n')

  await follower.until('a long line that is trimmed\nnew\n')
})

test('ends after the last line when the log is deleted', async () => {
  await using log = await temporaryLog('one\n')
  await using follower = follow(log.path)
  await follower.until('one\n')

  await rename(log.path, `${log.path}.old`)
  await appendFile(`${log.path}.old`, 'two\n')
  await rm(`${log.path}.old`)

  await follower.ended
  expect(follower.text()).toBe('one\ntwo\n')
})

test('ends at once when the signal has fired', async () => {
  await using log = await temporaryLog('one\n')

  const chunks = await Array.fromAsync(readLog(log.path, { follow: true }, AbortSignal.abort()))

  expect(chunks).toEqual(['one\n'])
})

test('closes the file when its reader stops early', async () => {
  await using log = await temporaryLog('one\n')

  for await (const chunk of readLog(log.path, { follow: true }, signal)) {
    expect(chunk).toBe('one\n')
    break
  }

  const watchers = process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap')
  expect(watchers).toEqual([])
})

test('reads only the lines of the last minutes, and all that is written later', async () => {
  await using log = await temporaryLog(`${line(600)}panic: old\n${line(60)}detail\n`)
  await using follower = follow(log.path, { sinceMs: 300_000 })

  await follower.until(`${line(60)}detail\n`)
  await appendFile(log.path, 'panic: new\n')

  await follower.until(`${line(60)}detail\npanic: new\n`)
})

test.for([
  [1, line(9)],
  [2, `${line(60)}${line(9)}`],
  [3, `${line(60)}${line(9)}`],
] as const)('reads those of the last %i lines that are recent', async ([tail, expected]) => {
  await using log = await temporaryLog(`${line(600)}${line(60)}${line(9)}`)

  const options = { follow: false, sinceMs: 300_000, tail }

  expect((await Array.fromAsync(readLog(log.path, options, signal))).join('')).toBe(expected)
})

test.for([
  [
    'the lines before a trace',
    `first\nsecond\npanic: failed to create WAL\n${TRACE}`,
    ['second', 'panic: failed to create WAL'],
  ],
  [
    'the lines after a trace',
    `first\nhttp: panic serving\n${TRACE}error: bad flag\n`,
    ['http: panic serving', 'error: bad flag'],
  ],
  [
    'all but the trace of a line of JSON',
    String.raw`{"msg":"no","error":"full \"disk\"","stacktrace":"a.b\n\tc \"d\" e.go:1","n":1}`,
    [String.raw`{"msg":"no","error":"full \"disk\"","n":1}`],
  ],
  ['nothing of a log with only a trace', TRACE, []],
] as const)('returns %s', async ([, text, expected]) => {
  await using log = await temporaryLog(text)

  expect(await lastWords(log.path, 2)).toEqual(expected)
})

test.for(['\tat main.ts:3', '  indented.go:3', 'goroutines: 3', '\tflag.go:12 is not a flag'])(
  'returns a line that only resembles a trace: %j',
  async (line) => {
    await using log = await temporaryLog(`first\n${line}\n`)

    expect(await lastWords(log.path, 5)).toEqual(['first', line])
  },
)

/** A line of etcd. */
function line(secondsAgo: number): string {
  return `{"level":"info","ts":"${new Date(NOW - secondsAgo * 1000).toISOString()}"}\n`
}

function follow(path: string, options: { tail?: number; sinceMs?: number } = {}) {
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
    until: (expected: string) =>
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
