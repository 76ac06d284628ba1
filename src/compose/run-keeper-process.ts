import { KeptOpen } from '../drivers/local/components/kept-open.ts'
import { trimLog } from '../drivers/local/logs/trim-log.ts'
import { keepLocalPlanes } from '../keeper/local/keep-local-planes.ts'
import { processEnvironment } from '../shared/environment.ts'
import { messageOf } from '../shared/errors.ts'
import { canSharePorts } from '../shared/network/ports.ts'
import { packageVersion } from '../shared/package-root.ts'
import { silentUi } from '../shared/ui.ts'
import { compose } from './compose.ts'
import { RESIDENT } from './launcher/keeper-command.ts'
import { keeperPlace } from './launcher/keeper-place.ts'
import { createSnapshots } from './snapshots.ts'

const UPGRADE_CHECK_MS = 5000

/** How often it looks at the size of its own log, in milliseconds. */
const TRIM_MS = 60_000

/**
 * Runs `vplane keeper run [--resident] FOLDER` until no plane in it needs a keeper; returns the exit status. A resident
 * keeper runs until it is stopped. It fails when vplane was upgraded, so that its service starts the new one: code that
 * it has not loaded yet does not exist any more.
 */
export async function runKeeperProcess(
  words: readonly string[],
  sharesPorts = canSharePorts(),
): Promise<number> {
  const isResident = words.includes(RESIDENT)
  const root = words.find((word) => word !== RESIDENT) ?? ''
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  process.once('SIGINT', () => stop.abort())
  // It outlives the terminal that it was started from.
  process.on('SIGHUP', () => {})
  const log = (line: string) => process.stderr.write(`${new Date().toISOString()} ${line}\n`)
  const environment = processEnvironment()
  const place = keeperPlace(root)
  const version = packageVersion()
  let isUpgraded = false
  const checkVersion = () => {
    isUpgraded ||= installedVersion() !== version
    if (isUpgraded) {
      stop.abort()
    }
  }
  try {
    using _checks = isResident ? setInterval(checkVersion, UPGRADE_CHECK_MS) : undefined
    const trim = () => trimLog(place.log).catch(() => {})
    using _trims = setInterval(() => void trim(), TRIM_MS)
    await trim()
    const kept = new KeptOpen()
    await using composition = compose({ environment, ui: silentUi, root, kept, sharesPorts })
    const { drivers, openApi } = composition
    const driver = drivers.find(({ name }) => name === 'local')
    if (driver !== undefined) {
      const snapshots = createSnapshots({ data: root, environment, warn: log })
      const world = { driver, openApi, snapshots, root, log }
      const { lock } = place
      await keepLocalPlanes({ ...world, lock, isResident, sharesPorts, signal: stop.signal })
    }
    if (isUpgraded) {
      log(`vplane ${version} was replaced by another version`)
    }
    return isUpgraded ? 1 : 0
  } catch (error) {
    log(`error: ${messageOf(error)}`)
    return 1
  }
}

/** Undefined while another version is being installed. */
function installedVersion(): string | undefined {
  try {
    return packageVersion()
  } catch {
    return undefined
  }
}
