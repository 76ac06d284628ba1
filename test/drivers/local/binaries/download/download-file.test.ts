import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import {
  downloadFile,
  type FileDownload,
} from '../../../../../src/drivers/local/binaries/download/download-file.ts'
import { openHttp } from '../../../../../src/drivers/local/binaries/download/http.ts'
import { temporaryFolder } from '../../../../support/machine/temporary-folder.ts'
import { LIMITS } from '../context.ts'
import { type ReleaseServer, sha256, startReleaseServer } from '../release-server.ts'

const BODY = randomBytes(300_000)
const OTHER_BODY = randomBytes(300_000)

let server: ReleaseServer
let folder: string
let partial: string

beforeEach(async () => {
  server = await startReleaseServer()
  const temporary = await temporaryFolder()
  folder = temporary.path
  partial = join(folder, '.kubectl.part')
  return () => Promise.all([server[Symbol.asyncDispose](), temporary[Symbol.asyncDispose]()])
})

test('downloads a file and reports its progress', async () => {
  serve(BODY)
  const progress: Array<[number, number | undefined]> = []

  await download({ onProgress: (...now) => progress.push(now) })

  expect(BODY.equals(await readFile(partial))).toBe(true)
  expect(progress.at(-1)).toEqual([BODY.length, BODY.length])
})

test('continues after dropped connections', async () => {
  serve(BODY, { cuts: [100_000, 50_000] })

  await Promise.all([download(), dropAt(100_000, 150_000)])

  expect(BODY.equals(await readFile(partial))).toBe(true)
  expect(rangeStarts()).toEqual([0, 100_000, 150_000])
})

test('sends no request for a complete file', async () => {
  serve(BODY)
  await leave(BODY)

  await download()

  expect(server.requests).toEqual([])
})

test.for([
  ['the server has another file now', OTHER_BODY.subarray(0, 200_000), '"old"'],
  ['the part is longer than the file', randomBytes(BODY.length + 10), '"v1"'],
] as const)('starts again when %s', async ([, part, validator]) => {
  serve(BODY)
  await leave(part, validator)

  await download()

  expect(BODY.equals(await readFile(partial))).toBe(true)
})

test('starts again once when the part is damaged', async () => {
  serve(BODY)
  await leave(randomBytes(200_000))

  await download()

  expect(BODY.equals(await readFile(partial))).toBe(true)
  expect(rangeStarts()).toEqual([200_000, 0])
})

test.for([
  ['belongs to another URL', { formatVersion: 1, url: 'http://other/', validator: '"v1"' }],
  ['has a newer format', { formatVersion: 2, url: 'URL', validator: '"v1"' }],
  ['says nothing', []],
] as const)('does not continue a part whose record %s', async ([, note]) => {
  serve(BODY)
  await writeFile(partial, BODY.subarray(0, 1000))
  await writeFile(`${partial}.json`, JSON.stringify(note).replace('URL', urlOf()))

  await download()

  expect(BODY.equals(await readFile(partial))).toBe(true)
  expect(rangeStarts()).toEqual([0])
})

test('refuses a file with another checksum and removes it', async () => {
  serve(OTHER_BODY)

  await expect(download()).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining(`has checksum ${sha256(OTHER_BODY)}, not ${sha256(BODY)}`),
  })
  expect(await readdir(folder)).toEqual([])
})

test('reports a file that does not exist', async () => {
  await expect(download()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await readdir(folder)).toEqual([])
})

test('gives up on a server that drops every connection, and stores what it received', async () => {
  serve(BODY, { cuts: [100_000, 0, 0, 0, 0, 0, 0] })

  const [outcome] = await Promise.allSettled([download(), dropAt(100_000)])

  expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'UNREACHABLE' } })
  expect(BODY.subarray(0, 100_000).equals(await readFile(partial))).toBe(true)
  expect(server.requests).toHaveLength(4)
})

test('does not retry a part that the server cannot continue', async () => {
  server.files.set('/kubectl', { body: BODY, cuts: [100_000] })

  const [outcome] = await Promise.allSettled([download(), dropAt(100_000)])

  expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'UNREACHABLE' } })
  expect(rangeStarts()).toEqual([0])
})

function serve(body: Buffer, more: { cuts?: number[] } = {}): void {
  server.files.set('/kubectl', { body, etag: '"v1"', ...more })
}

function urlOf(): string {
  return `${server.url}/kubectl`
}

async function download(options: Partial<FileDownload> = {}): Promise<void> {
  await using http = await openHttp({}, LIMITS)
  await downloadFile(http, {
    url: urlOf(),
    partial,
    sha256: sha256(BODY),
    signal: new AbortController().signal,
    onProgress: () => {},
    ...options,
  })
}

/** Leaves a part as an interrupted download does. */
async function leave(part: Buffer, validator = '"v1"'): Promise<void> {
  await writeFile(partial, part)
  await writeFile(`${partial}.json`, JSON.stringify({ formatVersion: 1, url: urlOf(), validator }))
}

/** Drops the connection each time this many bytes are on the disk. */
async function dropAt(...sizes: number[]): Promise<void> {
  for (const size of sizes) {
    await expect.poll(() => statSync(partial, { throwIfNoEntry: false })?.size).toBe(size)
    server.drop()
  }
}

/** The first requested byte of each request. */
function rangeStarts(): number[] {
  return server.requests.map(({ headers }) => Number(/\d+/.exec(headers.range ?? '')?.[0] ?? 0))
}
