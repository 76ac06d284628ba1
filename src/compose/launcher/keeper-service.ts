import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import type { Environment } from '../../shared/environment.ts'
import { makeFolder } from '../../shared/files/make-folder.ts'
import { readTextFile } from '../../shared/files/read-text-file.ts'
import { writeFile } from '../../shared/files/write-file.ts'
import type { Paths } from '../../shared/paths.ts'
import { shellWord } from '../../shared/text/shell-word.ts'
import { waitFor } from '../../shared/wait.ts'
import { keeperCommand, RESIDENT } from './keeper-command.ts'
import { isKeeping, keeperPlace } from './keeper-place.ts'
import { KEEPER_UNIT, keeperUnit, keeperUnitPath } from './keeper-unit.ts'
import { systemctl } from './user-manager.ts'

/** Where systemd keeps a file for each user whose services run without a login. */
const LINGERING = '/var/lib/systemd/linger'

const START_MS = 30_000

export interface KeeperServiceStatus {
  /** The file of the unit. */
  file: string
  isInstalled: boolean
  /** Whether it starts this vplane, for the planes that this vplane shows. */
  isCurrent: boolean
  isEnabled: boolean
  /** As systemd names it, such as `active`; undefined without the service. */
  state?: string
  /** Whether a keeper runs, also one that a command started. */
  isKeeping: boolean
  /** Whether it starts with the machine, without a login. */
  isLingering: boolean
}

/** The keeper of this user's local planes as a service of systemd. */
export interface KeeperService {
  /**
   * Installs and starts it; one that exists then starts this vplane. Returns when a keeper runs.
   * @throws {VplaneError} as `systemctl` does, `TIMED_OUT` when none runs after half a minute.
   */
  install(): Promise<KeeperServiceStatus>
  /** Removes it. Returns whether it existed. @throws {VplaneError} as `systemctl` does. */
  uninstall(): Promise<boolean>
  status(): Promise<KeeperServiceStatus>
}

export interface KeeperServiceOptions {
  environment: Environment
  paths: Paths
  /** Starts a keeper as commands do: it ends when no plane needs it. */
  ensureKeeper: () => Promise<void>
}

/** Returns the service of the keeper; nothing is read or changed before a call. */
export function keeperService({
  ensureKeeper,
  environment,
  paths,
}: KeeperServiceOptions): KeeperService {
  const file = keeperUnitPath(environment)
  const { log } = keeperPlace(paths.data)
  const command = keeperCommand(paths.data, { kind: RESIDENT })
  const unit = keeperUnit({ command, environment, paths })
  const ask = (...args: string[]) => systemctl(args, environment)

  const show = () => ask('show', KEEPER_UNIT, '--property=ActiveState,UnitFileState')

  /** A failure that systemd remembers prevents starts, and outlives the unit. */
  async function resetFailed(): Promise<void> {
    if (propertyOf(await show(), 'ActiveState') === 'failed') {
      await ask('reset-failed', KEEPER_UNIT)
    }
  }

  async function status(): Promise<KeeperServiceStatus> {
    const text = readTextFile(file)
    const common = { file, isKeeping: await isKeeping(paths.data), isLingering: isLingering() }
    if (text === undefined) {
      return { ...common, isInstalled: false, isCurrent: false, isEnabled: false }
    }
    const shown = await show()
    return {
      ...common,
      isInstalled: true,
      isCurrent: text === unit,
      isEnabled: propertyOf(shown, 'UnitFileState') === 'enabled',
      state: propertyOf(shown, 'ActiveState'),
    }
  }

  return {
    status,
    install: async () => {
      // Before anything is written: systemd may not answer.
      await resetFailed()
      const isSame = readTextFile(file) === unit
      if (!isSame) {
        makeFolder(dirname(file))
        await writeFile(file, unit, { mode: 0o644 })
      }
      makeFolder(paths.data)
      closeSync(openSync(log, 'a', 0o600))
      await ask('daemon-reload')
      await ask('enable', KEEPER_UNIT)
      await ask(isSame ? 'start' : 'restart', KEEPER_UNIT)
      await waitFor(() => isKeeping(paths.data), {
        what: 'the keeper to start',
        timeoutMs: START_MS,
        hints: [`tail ${shellWord(log)}`, `systemctl --user status ${KEEPER_UNIT}`],
      })
      return status()
    },
    uninstall: async () => {
      if (!existsSync(file)) {
        return false
      }
      await ask('disable', '--now', KEEPER_UNIT)
      await resetFailed()
      rmSync(file)
      await ask('daemon-reload')
      await ensureKeeper()
      return true
    },
  }
}

function isLingering(): boolean {
  return existsSync(join(LINGERING, userInfo().username))
}

/** A property as `systemctl show` prints it: `ActiveState=active`. */
function propertyOf(shown: string, name: string): string {
  const line = shown.split('\n').find((one) => one.startsWith(`${name}=`)) ?? ''
  return line.slice(name.length + 1)
}
