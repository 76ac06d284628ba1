import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { processEnvironment } from '../../../src/shared/environment.ts'
import { pathsOf } from '../../../src/shared/paths.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { freePort } from '../machine/free-port.ts'
import { temporaryFolder } from '../machine/temporary-folder.ts'

const VERSION = 'v1.8.0'
const FOLDER = join(pathsOf(processEnvironment()).cache, 'test/versitygw', VERSION)
const BUCKET = 'backups'
/** No word that anyone says by accident: tests look for it. */
const KEY = 'hush-3f9c2a7e51'

/**
 * A real S3 server with an empty bucket, on the files of a folder; the first start builds it.
 *
 * @param address of this machine that it listens on. @default 127.0.0.1
 */
export async function startVersitygw(address = '127.0.0.1') {
  await using stack = new AsyncDisposableStack()
  const program = await versitygw()
  const folder = stack.use(await temporaryFolder())
  await mkdir(join(folder.path, 'files', BUCKET), { recursive: true })
  const port = await freePort()
  const environment = {
    AWS_ACCESS_KEY_ID: 'tester',
    AWS_SECRET_ACCESS_KEY: KEY,
    AWS_REGION: 'us-east-1',
    AWS_ENDPOINT_URL_S3: `http://${address}:${port}`,
  }
  const server = spawn(
    program,
    ['--port', `${address}:${port}`, '--access', 'tester', '--secret', KEY, 'posix', 'files'],
    { cwd: folder.path, stdio: 'ignore' },
  )
  const ended = once(server, 'exit')
  stack.defer(async () => {
    server.kill()
    await ended
  })
  await waitFor(() => isListening(address, port), { what: 'versitygw', timeoutMs: 30_000 })
  const owned = stack.move()
  return {
    environment,
    bucket: BUCKET,
    files: join(folder.path, 'files', BUCKET),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function versitygw(): Promise<string> {
  const program = join(FOLDER, 'versitygw')
  if (!existsSync(program)) {
    await mkdir(FOLDER, { recursive: true })
    const module = `github.com/versity/versitygw/cmd/versitygw@${VERSION}`
    const env = { ...process.env, GOBIN: FOLDER, GOFLAGS: '-mod=mod', GOWORK: 'off' }
    await promisify(execFile)('go', ['install', module], { env })
  }
  return program
}

async function isListening(address: string, port: number): Promise<boolean> {
  const socket = connect(port, address)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
