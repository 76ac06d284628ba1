import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../shared/files/make-folder.ts'
import { messageOf, VplaneError } from '../../shared/errors.ts'
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
  /** Opens the way to the plane; called when the first client has come. */
  open: (settings: TunnelSettings) => Promise<DialSource>
  table: ProcessTable
  /** Ends it at once. */
  stop: AbortSignal
  /** Makes place for another process; what is open goes on. */
  handOver: AbortSignal
  log: (line: string) => void
}

/**
 * Why a tunnel ended: it was told to, it made place for another one, it carried nothing for long, its plane is gone, or
 * somebody has to do something first, such as log in.
 */
export type TunnelEnd = 'stopped' | 'replaced' | 'idle' | 'gone' | 'in trouble'

/** The process before may be about to let go. */
const LOCK_MS = 5000

/** The longest time that a timer of Node.js can wait, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * The life of a tunnel's process: serves the tunnel in a folder until it ends by itself or by a signal, and says in its
 * log, which is stderr, what happens.
 *
 * @returns the exit status
 */
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
  // The terminal that it was started from is not its own.
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
 * Is the tunnel of a folder until there is a reason to end, and says which.
 *
 * It ends when a login is needed, or anything else that trying again does not bring about: the next client is refused
 * then, and its credential plugin says what is the matter. What is open goes on, as when another process takes over.
 *
 * @throws {VplaneError} `TIMED_OUT` when another process is this tunnel already, `CONFLICT` when another program listens
 * on its port, `NOT_FOUND` when nothing is written down about it.
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

  const why = await Promise.race([end.promise, stopped, replaced])
  log(`ends: ${why}`)
  if (why === 'gone') {
    rmSync(folder.root, { recursive: true, force: true })
  }
  if (why === 'replaced' || why === 'in trouble') {
    listener.close()
    const draining = await noteDraining(folder, own)
    serving.defer(() => rmSync(draining, { force: true }))
    await lock[Symbol.asyncDispose]()
    await Promise.race([listener.drained(), stopped])
  }
  return why
}

async function fired(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) {
    await once(signal, 'abort')
  }
}

type Listening = ServeOptions & { settings: TunnelSettings; end: (why: TunnelEnd) => void }

/** Listens, and keeps what belongs to it in a stack. */
async function listen(
  { end, folder, log, open, settings }: Listening,
  serving: AsyncDisposableStack,
): Promise<TunnelListener> {
  const way = serving.use(new RenewableDial(() => open(settings)))
  const idle = serving.use(idleClock(settings.idleTimeoutMs, () => end('idle')))
  let said = ''
  const noteFailure = async (error: unknown) => {
    if (said !== messageOf(error)) {
      said = messageOf(error)
      log(`a client got no answer: ${said}`)
    }
    if (error instanceof VplaneError) {
      await noteTrouble(folder, error)
    }
    if (!isTransient(error)) {
      end(isGone(error) ? 'gone' : 'in trouble')
    }
  }
  const listener = serving.use(
    await listenTunnel({
      address: settings.address,
      port: settings.port,
      dial: way.dial,
      onChange: (connections) => idle.count(connections),
      onFailure: (error) => void noteFailure(error),
      onRecovery: () => {
        log('listens again')
        said = ''
        clearProblem(folder)
      },
    }),
  )
  const onWake = () => {
    log('the machine slept')
    way.renew()
    listener.probe()
  }
  serving.use(watchSleep({ onWake }))
  return listener
}

interface IdleClock extends Disposable {
  /** Tells how many connections there are now: the time counts from the moment in which there are none. */
  count(connections: number): void
}

/** Calls `onIdle` when nothing was carried for so long; counting begins at once. */
export function idleClock(timeoutMs: number, onIdle: () => void): IdleClock {
  // It keeps its process running: nothing else may, while the plane cannot be reached.
  const start = () => setTimeout(onIdle, Math.min(timeoutMs, LONGEST_MS))
  let timer: NodeJS.Timeout | undefined = start()
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }
  return {
    count: (connections) => {
      stop()
      timer = connections === 0 ? start() : undefined
    },
    [Symbol.dispose]: stop,
  }
}

async function noteTrouble(folder: TunnelFolder, error: VplaneError): Promise<void> {
  try {
    await writeProblem(folder, error, new Date())
  } catch {
    // A full disk: the credential plugin finds out by itself what is the matter.
  }
}

function isGone(error: unknown): boolean {
  return error instanceof VplaneError && error.code === 'CONTROL_PLANE_NOT_FOUND'
}

/** From now on this process ends by itself; who stops the tunnel has to know of it all the same. */
async function noteDraining(folder: TunnelFolder, own: ServingProcess): Promise<string> {
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
