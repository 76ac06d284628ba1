import { statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { KeptOpen } from '../drivers/local/components/kept-open.ts'
import { trimLog } from '../drivers/local/logs/trim-log.ts'
import { keepLocalPlanes } from '../keeper/local/keep-local-planes.ts'
import { processEnvironment } from '../shared/environment.ts'
import { messageOf } from '../shared/errors.ts'
import { isFileLocked } from '../shared/files/is-file-locked.ts'
import { canSharePorts } from '../shared/network/ports.ts'
import { packageVersion } from '../shared/package-root.ts'
import { isAlive } from '../shared/processes/launch/process-record.ts'
import { processTableOf } from '../shared/processes/process-table-of.ts'
import { silentUi } from '../shared/ui.ts'
import { compose, type ComposeOptions } from './compose.ts'
import { awaitSuccessor } from './launcher/await-successor.ts'
import { keeperCommand, RESIDENT, SUCCESSOR } from './launcher/keeper-command.ts'
import { keeperPlace } from './launcher/keeper-place.ts'
import { launcherTarget } from './launcher/launcher-target.ts'
import { takeTurn } from './launcher/take-turn.ts'
import { createSnapshots } from './snapshots.ts'
import { startKeeper } from './start-keeper.ts'

/** How often it looks at the size of its own log, in milliseconds. */
const TRIM_MS = 60_000

/** How long a keeper waits for its turn behind another one that waits, in milliseconds. */
const WAIT_MS = 30_000

const STARTING_MS = 50

/**
 * Runs `vplane keeper run [--resident|--successor] FOLDER` until no plane in it needs a keeper; returns the exit status.
 * A resident keeper runs until it is stopped; others end when one waits for that. When vplane is replaced, a resident
 * keeper fails, so that its service starts the new one, and others start it themselves.
 */
export async function runKeeperProcess(
  words: readonly string[],
  options: Pick<ComposeOptions, 'readEnvironment' | 'sharesPorts'> = {},
): Promise<number> {
  const { sharesPorts = canSharePorts() } = options
  const isResident = words.includes(RESIDENT)
  const root = words.at(-1) ?? ''
  const stop = new AbortController()
  const { signal } = stop
  process.once('SIGTERM', () => stop.abort())
  process.once('SIGINT', () => stop.abort())
  // It outlives the terminal that it was started from.
  process.on('SIGHUP', () => {})
  const log = (line: string) => process.stderr.write(`${new Date().toISOString()} ${line}\n`)
  const environment = processEnvironment()
  const { lock, log: logFile, next } = keeperPlace(root)
  const table = processTableOf(process.platform)
  // Later they may be gone.
  const [version, target, installed] = [packageVersion(), launcherTarget(), ownFile()]
  let isKeeping = false
  const isAwaited = () => isKeeping && !isResident && isFileLocked(next)
  const isReplaced = () => ownFile() !== installed
  const launch = async () => {
    const command = keeperCommand(root, { kind: SUCCESSOR, target })
    const successor = await startKeeper({ root, environment, table, command })
    while (!signal.aborted && !isAwaited() && isAlive(successor, table)) {
      await delay(STARTING_MS)
    }
  }
  try {
    using _stop = { [Symbol.dispose]: () => stop.abort() }
    const succession = { isAwaited, isReplaced, launch: isResident ? undefined : launch }
    void awaitSuccessor({ ...succession, log, signal }).then(() => stop.abort())
    const trim = () => trimLog(logFile).catch(() => {})
    using _trims = setInterval(() => void trim(), TRIM_MS)
    await trim()
    const kept = new KeptOpen()
    await using composition = compose({ ...options, environment, ui: silentUi, root, kept })
    const { drivers, openApi } = composition
    const driver = drivers.find(({ name }) => name === 'local')
    if (driver !== undefined) {
      const snapshots = createSnapshots({ data: root, environment, warn: log })
      const world = { driver, openApi, snapshots, root, log }
      const waitMs = isResident || words.includes(SUCCESSOR) ? WAIT_MS : 0
      const turn = async () => {
        isKeeping = false
        const held = await takeTurn({ lock, next, waitMs, signal })
        isKeeping = held !== undefined
        return held
      }
      await keepLocalPlanes({ ...world, takeTurn: turn, isResident, sharesPorts, signal })
    }
    if (isReplaced()) {
      log(`vplane ${version} was replaced`)
    }
    return isReplaced() ? 1 : 0
  } catch (error) {
    log(`error: ${messageOf(error)}`)
    return 1
  }
}

/** Identifies the file of this module; undefined when it does not exist any more. */
function ownFile(): string | undefined {
  const file = fileURLToPath(import.meta.url)
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.ino}:${stat.mtimeNs}`
}
