import { keepLocalPlanes } from '../keeper/local/keep-local-planes.ts'
import { processEnvironment } from '../shared/environment.ts'
import { messageOf } from '../shared/errors.ts'
import { silentUi } from '../shared/ui.ts'
import { compose } from './compose.ts'
import { keeperPlace } from './ensure-keeper.ts'
import { createSnapshots } from './snapshots.ts'

/** Runs `vplane keeper FOLDER` until no plane in it needs a keeper; returns the exit status. */
export async function runKeeperProcess([root = '']: readonly string[]): Promise<number> {
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  process.once('SIGINT', () => stop.abort())
  // It outlives the terminal that it was started from.
  process.on('SIGHUP', () => {})
  const log = (line: string) => process.stderr.write(`${new Date().toISOString()} ${line}\n`)
  const environment = processEnvironment()
  try {
    await using composition = compose({ environment, ui: silentUi, root })
    const { drivers, openApi } = composition
    const driver = drivers.find(({ name }) => name === 'local')
    if (driver !== undefined) {
      const snapshots = createSnapshots({ data: root, environment, warn: log })
      const { lock } = keeperPlace(root)
      await keepLocalPlanes({ driver, openApi, snapshots, root, lock, log, signal: stop.signal })
    }
    return 0
  } catch (error) {
    log(`error: ${messageOf(error)}`)
    return 1
  }
}
