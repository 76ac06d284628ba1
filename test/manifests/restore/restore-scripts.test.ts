import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import {
  PLACE_SCRIPT,
  RECEIVE_SCRIPT,
  RECEIVING_PORT,
  type RestoreEnvironment,
} from '../../../src/manifests/restore/restore-scripts.ts'
import { freePort } from '../../support/machine/free-port.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'

const run = promisify(execFile)
const ATTEMPT = 'etcd-before-now abc 7'
const SNAPSHOT = Buffer.alloc(300_000, 'snapshot')

test('accepts only the bytes with the right checksum', async () => {
  await using pod = await podOf({ 'etcd-before-old/x': '', 'restored/half': '', 'data/db': 'now' })
  const port = await freePort()
  const script = RECEIVE_SCRIPT.replace(String(RECEIVING_PORT), String(port))
  const receiver = spawn(process.execPath, ['-e', script], { env: { ...pod.environment } })
  const ended = once(receiver, 'exit')

  const wrong = await sent(port, Buffer.alloc(SNAPSHOT.length))
  const right = await sent(port, SNAPSHOT)
  const [code] = await ended
  await run(process.execPath, ['-e', script], { env: { ...pod.environment } })

  expect([wrong, right, code]).toEqual(['', 'ok', 0])
  expect(await readFile(pod.environment.VPLANE_SNAPSHOT)).toEqual(SNAPSHOT)
  expect(await readdir(pod.environment.VPLANE_VOLUME)).toEqual(['data'])
})

test.for([
  [
    'moves the data aside that is there',
    { 'data/db': 'old', 'restored/db': 'new' },
    { data: 'new', former: 'old' },
  ],
  ['makes the data of an empty volume', { 'restored/db': 'new' }, { data: 'new' }],
  [
    'continues when it was interrupted after the first step',
    { 'etcd-before-now/db': 'old', 'restored/db': 'new' },
    { data: 'new', former: 'old' },
  ],
  [
    'keeps the data from before another attempt',
    {
      'etcd-before-now/db': 'old',
      'data/db': 'other',
      'restored/db': 'new',
      'restored-of': 'etcd-before-now other 7',
    },
    { data: 'new', former: 'old' },
  ],
  [
    'keeps no data of another attempt with other revisions',
    {
      'etcd-before-now/db': 'old',
      'data/db': 'other',
      'restored/db': 'new',
      'restored-of': 'etcd-before-now abc 6',
    },
    { data: 'new', former: 'old' },
  ],
  [
    'leaves data alone that it put in place before',
    {
      'etcd-before-now/db': 'old',
      'data/db': 'newer',
      'restored/db': 'new',
      'restored-of': ATTEMPT,
    },
    { data: 'newer', former: 'old' },
  ],
] as const)('%s', async ([, files, wanted]) => {
  await using pod = await podOf(files)

  await run(process.execPath, ['-e', PLACE_SCRIPT], { env: { ...pod.environment } })

  const root = pod.environment.VPLANE_VOLUME
  const text = (name: string) => readFile(join(root, name, 'db'), 'utf8').catch(() => undefined)
  expect({ data: await text('data'), former: await text('etcd-before-now') }).toEqual(wanted)
  expect(await readdir(root)).not.toContain('restored')
})

/** The volume of a pod with some files. */
async function podOf(files: Record<string, string>) {
  const folder = await temporaryFolder()
  const volume = join(folder.path, 'volume')
  await mkdir(volume)
  for (const [name, text] of Object.entries(files)) {
    const path = join(volume, name)
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, text)
  }
  const environment: RestoreEnvironment = {
    VPLANE_VOLUME: volume,
    VPLANE_SNAPSHOT: join(folder.path, 'snapshot.db'),
    VPLANE_SHA256: sha256(SNAPSHOT),
    VPLANE_BYTES: String(SNAPSHOT.length),
    VPLANE_FORMER: 'etcd-before-now',
    VPLANE_ATTEMPT: ATTEMPT,
  }
  return { environment, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

/** The answer to bytes, as soon as a server listens. */
async function sent(port: number, bytes: Buffer): Promise<string> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
    } catch {
      continue
    }
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk.toString()))
    socket.on('error', () => socket.destroy())
    socket.write(bytes)
    await once(socket, 'close')
    return answer
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
