import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSnapshots } from '../../src/compose/snapshots.ts'
import { compactTime } from '../../src/shared/text/compact-time.ts'
import { etcdSnapshot } from '../support/data/etcd-snapshot.ts'
import { inPieces } from '../support/data/in-pieces.ts'
import { temporaryFolder } from '../support/machine/temporary-folder.ts'
import { rejectionOf } from '../support/thrown-by.ts'
import { startVersitygw } from '../support/programs/versitygw.ts'

const NEVER = new AbortController().signal
const INFO = {
  plane: 'dev',
  driver: 'local',
  kind: 'snapshot',
  createdAt: new Date('2026-01-02T03:04:05Z'),
  revision: 7,
} as const
/** More than one part of an upload. */
const SNAPSHOT = etcdSnapshot('pages', { pages: 5000 })

let server: Awaited<ReturnType<typeof startVersitygw>>
let url: string

beforeAll(async () => {
  server = await startVersitygw()
  url = `s3://${server.bucket}/planes/mine`
}, 600_000)
afterAll(() => server[Symbol.asyncDispose]())

const warn = (text: string) => expect.fail(text)

test('stores a snapshot in a bucket, lists it, returns all of it, and deletes it', async () => {
  await using folder = await temporaryFolder()
  const snapshots = createSnapshots({ data: folder.path, environment: server.environment, warn })
  const info = { ...INFO, sizeBytes: SNAPSHOT.length }

  const put = await snapshots.placeOf(url).put(info, inPieces(SNAPSHOT, 100_000), NEVER)
  const { id = '', location } = put
  const listed = await snapshots.storeOf(url).list(NEVER)
  const bytes = await buffer(await snapshots.storeOf(url).read(id, NEVER))
  const passphrase = () => Promise.reject(new Error('it is no bundle'))
  await using source = await snapshots.open(`${url}/${id}`, { passphrase, signal: NEVER })
  const copy = await readFile(source.file)
  await snapshots.delete(`${url}/${id}`, NEVER)

  expect(location).toBe(`${url}/${id}.data`)
  expect(listed).toEqual([{ ...info, id }])
  expect(bytes.equals(SNAPSHOT)).toBe(true)
  expect(copy.equals(SNAPSHOT)).toBe(true)
  expect(await snapshots.storeOf(url).list(NEVER)).toEqual([])
})

test('leaves nothing of an interrupted snapshot', async () => {
  await using folder = await temporaryFolder()
  const snapshots = createSnapshots({ data: folder.path, environment: server.environment, warn })
  async function* broken() {
    yield* inPieces(SNAPSHOT, 100_000)
    throw new Error('broken off')
  }

  const putting = snapshots.placeOf(url).put({ ...INFO, sizeBytes: 1 }, broken(), NEVER)

  await expect(putting).rejects.toThrow('broken off')
  const files = await readdir(server.files, { recursive: true })
  expect(files.filter((name) => name.endsWith('.data'))).toEqual([])
  expect(await unfinished()).toEqual([])
})

test('removes the uploaded parts of a stopped snapshot', async () => {
  await using folder = await temporaryFolder()
  const snapshots = createSnapshots({ data: folder.path, environment: server.environment, warn })
  const stop = new AbortController()
  async function* endless() {
    for (;;) {
      yield* inPieces(SNAPSHOT, 100_000)
      // Several parts are there or on their way by now.
      if ((await unfinished()).length > 0) {
        stop.abort()
        stop.signal.throwIfAborted()
      }
    }
  }

  const putting = snapshots.placeOf(url).put({ ...INFO, sizeBytes: 1 }, endless(), stop.signal)

  await expect(putting).rejects.toThrow(/abort/)
  expect(await unfinished()).toEqual([])
  expect(await snapshots.storeOf(url).list(NEVER)).toEqual([])
})

test('a deletion removes the uploaded parts of a killed process', async () => {
  const place = `s3://${server.bucket}/planes/killed`
  await using folder = await temporaryFolder()
  const snapshots = createSnapshots({ data: folder.path, environment: server.environment, warn })
  const { id = '' } = await snapshots
    .placeOf(place)
    .put({ ...INFO, sizeBytes: SNAPSHOT.length }, inPieces(SNAPSHOT, 100_000), NEVER)
  const client = clientOf(server.environment)
  const young = `dev-${compactTime(new Date()).replace('T', '-')}-0000.data`
  for (const name of ['dev-20260102-030405-0000.data', young, 'mine.data']) {
    const Key = `planes/killed/${name}`
    await client.send(new CreateMultipartUploadCommand({ Bucket: server.bucket, Key }))
  }

  await snapshots.delete(`${place}/${id}`, NEVER)

  const left = [`planes/killed/${young}`, 'planes/killed/mine.data']
  expect((await unfinished('planes/killed/')).toSorted()).toEqual(left)
})

test('reports errors of a bucket, a key and an id', async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, 'x'), '')
  const snapshots = createSnapshots({ data: folder.path, environment: server.environment, warn })

  const missing = await rejectionOf(snapshots.delete(`${url}/dev-20260102-030405-0000`, NEVER))
  const bucket = await rejectionOf(snapshots.storeOf('s3://nowhere-at-all/x').list(NEVER))
  const environment = { ...server.environment, AWS_SECRET_ACCESS_KEY: 'wrong' }
  const others = createSnapshots({ data: folder.path, environment, warn })
  const key = await rejectionOf(others.storeOf(url).list(NEVER))

  expect(missing.code).toBe('NOT_FOUND')
  expect(bucket.message).toContain('cannot use s3://nowhere-at-all/x')
  expect(key.message).toMatch(/signature/i)
})

/** The keys of uploads that were begun and neither completed nor taken back. */
async function unfinished(Prefix = 'planes/mine/'): Promise<string[]> {
  const client = clientOf(server.environment)
  const { Uploads = [] } = await client.send(
    new ListMultipartUploadsCommand({ Bucket: server.bucket, Prefix }),
  )
  return Uploads.map(({ Key = '' }) => Key)
}

function clientOf(environment: typeof server.environment): S3Client {
  return new S3Client({
    forcePathStyle: true,
    endpoint: environment.AWS_ENDPOINT_URL_S3,
    region: environment.AWS_REGION,
    credentials: {
      accessKeyId: environment.AWS_ACCESS_KEY_ID,
      secretAccessKey: environment.AWS_SECRET_ACCESS_KEY,
    },
  })
}
