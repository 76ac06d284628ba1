import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lastWords } from '../../../../src/drivers/local/logs/last-words.ts'

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

let folder: string
let log: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vplane-last-words-'))
  log = join(folder, 'etcd.log')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('gives what a component said before a trace', async () => {
  writeFileSync(log, `first\nsecond\npanic: failed to create WAL\n${TRACE}`)

  expect(await lastWords(log, 2)).toEqual(['second', 'panic: failed to create WAL'])
})

test('gives what it said after one that it survived', async () => {
  writeFileSync(log, `first\nhttp: panic serving\n${TRACE}error: bad flag\n`)

  expect(await lastWords(log, 2)).toEqual(['http: panic serving', 'error: bad flag'])
})

test('takes the trace out of a line of JSON, and nothing else', async () => {
  writeFileSync(
    log,
    String.raw`{"msg":"no","error":"full \"disk\"","stacktrace":"a.b\n\tc \"d\" e.go:1","n":1}`,
  )

  expect(await lastWords(log, 3)).toEqual([String.raw`{"msg":"no","error":"full \"disk\"","n":1}`])
})

test.for(['\tat main.ts:3', '  indented.go:3', 'goroutines: 3', '\tflag.go:12 is not a flag'])(
  'keeps a line that only looks a little like a trace: %j',
  async (line) => {
    writeFileSync(log, `first\n${line}\n`)

    expect(await lastWords(log, 5)).toEqual(['first', line])
  },
)

test('gives nothing of a log that is empty or not there', async () => {
  expect(await lastWords(log, 3)).toEqual([])

  writeFileSync(log, TRACE)

  expect(await lastWords(log, 3)).toEqual([])
})
