import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { waitFor } from '../../../src/shared/wait.ts'
import { removeTree } from '../../lab/machine/cgroups.ts'

/** Programs of Linux, not of a package. */
const UNSHARE = ['unshare', '--mount', '--propagation', 'private'] as const
const SYSTEMD = '/usr/lib/systemd/systemd'
const CGROUPS = '/sys/fs/cgroup'

/** systemd runs for a user only where this folder exists, as it does after a boot with systemd. */
const BOOTED = 'mount -t tmpfs none /run && mkdir -p /run/systemd/system'
const JOIN = 'for group in "$@"; do echo $$ >"$group/cgroup.procs" || exit; done'

/** A systemd that serves one user in a folder of its own. */
export interface UserSystemd extends AsyncDisposable {
  /** The variables by which `systemctl --user` finds it. */
  environment: Record<string, string>
  start(): Promise<void>
  /** Stops it with its units, as when the user logs out or the machine stops. */
  stop(): Promise<void>
}

/** Why no systemd can run for a user here; undefined when one can. */
export function whyNoUserSystemd(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    return 'only root on Linux can separate a systemd from the one of the machine'
  }
  if (!existsSync(SYSTEMD) || spawnSync('systemctl', ['--version']).status !== 0) {
    return 'this machine has no systemd'
  }
  const [program, ...flags] = UNSHARE
  if (spawnSync(program, [...flags, 'sh', '-c', BOOTED]).status !== 0) {
    return 'this machine lets nobody mount'
  }
  try {
    const groups = makeGroups('vplane-probe')
    groups.forEach((group) => rmdirSync(group))
    return undefined
  } catch {
    return 'this machine lets nobody make control groups'
  }
}

/** @param environment of a user whose home is `root`; systemd gives it to its services */
export async function startUserSystemd(
  root: string,
  environment: Record<string, string>,
): Promise<UserSystemd> {
  const runtime = join(root, 'runtime')
  mkdirSync(runtime, { mode: 0o700 })
  const own = { XDG_RUNTIME_DIR: runtime, DBUS_SESSION_BUS_ADDRESS: '' }
  const env = { ...environment, XDG_RUNTIME_DIR: runtime }
  const groups = makeGroups(`vplane-user-systemd-${process.pid}`)
  let systemd: ChildProcess | undefined
  const stop = async () => {
    if (systemd?.exitCode === null && systemd.signalCode === null) {
      const ended = once(systemd, 'exit')
      systemd.kill('SIGTERM')
      await ended
    }
  }
  const start = async () => {
    const [program, ...flags] = UNSHARE
    const script = `${JOIN}; ${BOOTED} && exec ${SYSTEMD} --user`
    const started = spawn(program, [...flags, 'sh', '-c', script, 'sh', ...groups], {
      env,
      stdio: 'ignore',
    })
    systemd = started
    const asked = ['--user', 'is-active', 'default.target']
    await waitFor(
      async () => {
        if (started.exitCode !== null) {
          throw new Error(`systemd ended with ${started.exitCode}`)
        }
        return spawnSync('systemctl', asked, { env: { ...env, ...own } }).status === 0
      },
      { what: 'the systemd of a user', timeoutMs: 60_000, intervalMs: 100 },
    )
  }
  const userSystemd: UserSystemd = {
    environment: own,
    start,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
      await waitFor(async () => groups.every((group) => removeTree(group)), {
        what: 'the end of all processes of its units',
        timeoutMs: 30_000,
      })
    },
  }
  await start()
  return userSystemd
}

/** Makes a control group of this name in each tree that systemd uses, so that it leaves other processes alone. */
function makeGroups(name: string): string[] {
  const ofVersion1 = ['unified', 'systemd'].map((tree) => join(CGROUPS, tree))
  const trees = existsSync(join(CGROUPS, 'cgroup.controllers')) ? [CGROUPS] : ofVersion1
  return trees.flatMap((tree) => {
    if (!existsSync(tree)) {
      return []
    }
    const group = join(tree, name)
    mkdirSync(group, { recursive: true })
    return [group]
  })
}
