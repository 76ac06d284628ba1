import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../shared/files/make-folder.ts'
import { isVplaneError, messageOf, VplaneError } from '../../shared/errors.ts'
import { acquireFileLock } from '../../shared/files/file-lock.ts'
import { recordOf } from '../../shared/processes/launch/process-record.ts'
import { processTableOf } from '../../shared/processes/process-table-of.ts'
import type { ProcessTable } from '../../shared/processes/process-table.ts'
import { writeFile } from '../../shared/files/write-file.ts'
import { isTransient } from '../connections/dial.ts'
import { listenTunnel, type TunnelListener } from '../connections/listen-tunnel.ts'
import { type DialSource, RenewableDial } from '../connections/renewable-dial.ts'
import { watchSleep } from './sleep-watch.ts'
import { HAND_OVER_SIGNAL } from '../record/retire-tunnel.ts'
import { type TunnelFolder, tunnelFolder } from '../record/tunnel-folder.ts'
import {
  clearProblem,
  readServing,
  readSettings,
  type ServingProcess,
  type TunnelSettings,
  writeProblem,
} from '../record/tunnel-record.ts'

export interface ServeOptions {
  folder: TunnelFolder
  /** Opens the connection to the plane; called when the first client connects. */
  open: (settings: TunnelSettings) => Promise<DialSource>
  table: ProcessTable
  /** Ends the tunnel at once. */
  stop: AbortSignal
  /** Lets another process listen; open connections continue. */
  handOver: AbortSignal
  log: (line: string) => void
}

/**
 * Why a tunnel ended: it was stopped, another process replaced it, it had no connections for long, its plane does not
 * exist any more, or a user has to do something first, such as log in.
 */
export type TunnelEnd = 'stopped' | 'replaced' | 'idle' | 'gone' | 'failed'

/** The previous process may be about to release the lock. */
const LOCK_MS = 5000

/** The longest time that a timer of Node.js can wait, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1

/** Runs a tunnel's process until the tunnel ends. Logs to stderr, and returns the exit status. */
export async function runTunnel(
  root: string,
  open: (settings: TunnelSettings) => Promise<DialSource>,
): Promise<number> {
  const log = (line: string) => {
    process.stderr.write(`${new Date().toISOString()} ${line}\n`)
  }
  const stop = new AbortController()
  const handOver = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  process.once('SIGINT', () => stop.abort())
  // The tunnel continues after its terminal was closed.
  process.on('SIGHUP', () => {})
  if (process.platform !== 'win32') {
    process.once(HAND_OVER_SIGNAL, () => handOver.abort())
  }
  try {
    await serveTunnel({
      folder: tunnelFolder(root),
      open,
      table: processTableOf(process.platform),
      stop: stop.signal,
      handOver: handOver.signal,
      log,
    })
    return 0
  } catch (error) {
    log(messageOf(error))
    return 1
  }
}

/**
 * Serves the tunnel of a folder until there is a reason to end, and returns that reason.
 *
 * It also ends when retrying does not help, for example when a login is required: the next client is refused, and its
 * credential plugin reports the problem. Open connections continue, as when another process takes over.
 *
 * @throws {VplaneError} `TIMED_OUT` when another process already serves this tunnel, `CONFLICT` when another program
 *   listens on its port, `NOT_FOUND` when the folder has no settings.
 */
export async function serveTunnel(options: ServeOptions): Promise<TunnelEnd> {
  const { folder, handOver, log, stop, table } = options
  const settings = readSettings(folder)
  if (settings === undefined) {
    throw new VplaneError('NOT_FOUND', `there is no tunnel in ${folder.root}`)
  }
  await using serving = new AsyncDisposableStack()
  const lock = serving.use(
    await acquireFileLock(folder.servingLock, {
      what: `the tunnel to "${settings.plane.name}" that listens now`,
      timeoutMs: LOCK_MS,
      signal: stop,
    }),
  )
  const end = Promise.withResolvers<TunnelEnd>()
  const stopped = fired(stop).then(() => 'stopped' as const)
  const replaced = fired(handOver).then(() => 'replaced' as const)

  const listener = await listen({ ...options, settings, end: end.resolve }, serving)
  clearProblem(folder)
  const own = { ...recordOf(process.pid, table), revision: settings.revision }
  await writeFile(folder.serving, `${JSON.stringify(own)}\n`)
  serving.defer(() => removeOwn(folder, own))
  log(`listens on ${settings.address}:${listener.port}`)

  const reason = await Promise.race([end.promise, stopped, replaced])
  log(`ends: ${reason}`)
  if (reason === 'gone') {
    rmSync(folder.root, { recursive: true, force: true })
  }
  if (reason === 'replaced' || reason === 'failed') {
    listener.close()
    const draining = await recordDraining(folder, own)
    serving.defer(() => rmSync(draining, { force: true }))
    await lock[Symbol.asyncDispose]()
    await Promise.race([listener.drained(), stopped])
  }
  return reason
}

async function fired(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) {
    await once(signal, 'abort')
  }
}

type Listening = ServeOptions & { settings: TunnelSettings; end: (reason: TunnelEnd) => void }

async function listen(
  { end, folder, log, open, settings }: Listening,
  serving: AsyncDisposableStack,
): Promise<TunnelListener> {
  const dialer = serving.use(new RenewableDial(() => open(settings)))
  const idle = serving.use(idleClock(settings.idleTimeoutMs, () => end('idle')))
  let reported = ''
  const reportFailure = async (error: unknown) => {
    if (reported !== messageOf(error)) {
      reported = messageOf(error)
      log(`a client got no answer: ${reported}`)
    }
    if (error instanceof VplaneError) {
      await tryWriteProblem(folder, error)
    }
    if (!isTransient(error)) {
      const isGone = isVplaneError(error, 'CONTROL_PLANE_NOT_FOUND')
      end(isGone ? 'gone' : 'failed')
    }
  }
  const listener = serving.use(
    await listenTunnel({
      address: settings.address,
      port: settings.port,
      dial: dialer.dial,
      onChange: (connections) => idle.count(connections),
      onFailure: (error) => void reportFailure(error),
      onRecovery: () => {
        log('listens again')
        reported = ''
        clearProblem(folder)
      },
    }),
  )
  const onWake = () => {
    log('the machine slept')
    dialer.renew()
    listener.probe()
  }
  serving.use(watchSleep({ onWake }))
  return listener
}

interface IdleClock extends Disposable {
  /** Sets the number of open connections: the time counts from the moment when none is left. */
  count(connections: number): void
}

/** Calls `onIdle` after a time without connections, which starts at once. */
export function idleClock(timeoutMs: number, onIdle: () => void): IdleClock {
  // The timer keeps the process running: while the plane cannot be reached, nothing else may do so.
  const start = () => setTimeout(onIdle, Math.min(timeoutMs, LONGEST_MS))
  let timer: NodeJS.Timeout | undefined = start()
  return {
    count: (connections) => {
      clearTimeout(timer)
      timer = connections === 0 ? start() : undefined
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}

/** Records that this process only carries its open connections, so that stopping the tunnel ends it too. */
async function recordDraining(folder: TunnelFolder, own: ServingProcess): Promise<string> {
  const path = join(folder.draining, `${own.processId}.json`)
  makeFolder(folder.draining)
  await writeFile(path, `${JSON.stringify(own)}\n`)
  removeOwn(folder, own)
  return path
}

function removeOwn(folder: TunnelFolder, { processId }: ServingProcess): void {
  if (readServing(folder)?.processId === processId) {
    rmSync(folder.serving, { force: true })
  }
}

async function tryWriteProblem(folder: TunnelFolder, error: VplaneError): Promise<void> {
  try {
    await writeProblem(folder, error, new Date())
  } catch {
    // On a full disk, the credential plugin finds the problem itself.
  }
}
