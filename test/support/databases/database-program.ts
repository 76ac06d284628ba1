import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { appendFile, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { silentUi } from '../../../src/shared/ui.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { labContext } from '../../lab/lab-context.ts'
import { ensureDebianFolder } from '../../lab/machine/debian-folder.ts'

/** Why no server of databases can run here; undefined when one can. */
export function noDatabases(): string | undefined {
  const hasPackages = globSync('/usr/bin/{apt-get,dpkg-deb,unshare}').length === 3
  return process.platform === 'linux' && hasPackages ? undefined : 'it needs Debian packages'
}

/** The folder with a program of Debian packages, which are unpacked and not installed, unless this machine has them. */
export async function debianProgram(
  packages: { name: string; packages: readonly string[] },
  pattern: string,
): Promise<{ path: string; root: string }> {
  const root = await ensureDebianFolder(
    packages,
    labContext(silentUi, AbortSignal.timeout(600_000)),
  )
  for (const top of [root, '/']) {
    const [path] = globSync(join(top, pattern)).toSorted().toReversed()
    if (path !== undefined) {
      return { path, root: top }
    }
  }
  throw new Error(`neither ${root} nor this machine has ${pattern}`)
}

/** A server that runs. */
export interface RunningProgram {
  isAlive: () => boolean
  /** Ends it and waits until it has ended. */
  kill: (signal: NodeJS.Signals) => Promise<void>
}

/** Starts a program that refuses to run as root, as another user of a namespace of its own: its files stay those of root. */
export async function startProgram(
  [program = '', ...args]: readonly string[],
  { folder, log, env }: Place,
): Promise<RunningProgram> {
  const words = [...asOther(), program, ...args]
  await appendFile(log, `${words.join(' ')}\n`)
  const file = await open(log, 'a')
  const child = spawn(words[0] ?? '', words.slice(1), {
    cwd: folder,
    env: { PATH: '/usr/bin:/bin', ...env },
    stdio: ['ignore', file.fd, file.fd],
  })
  const ended = once(child, 'exit')
  await file.close()
  return {
    isAlive: () => child.exitCode === null && child.signalCode === null,
    kill: async (signal) => {
      child.kill(signal)
      await ended
    },
  }
}

interface Place {
  folder: string
  log: string
  env?: Record<string, string>
}

interface ServerProgram {
  title: string
  /** What ends it without waiting for its clients. */
  signal: NodeJS.Signals
  /** Asks it something. */
  ask: () => Promise<unknown>
}

/** A server that starts and stops again and again. */
export function serverProgram(
  words: readonly string[],
  place: Place,
  { ask, signal, title }: ServerProgram,
): { start: () => Promise<void>; stop: () => Promise<void> } {
  let server: RunningProgram | undefined
  const isReady = async () => {
    if (server?.isAlive() !== true) {
      throw new Error(`${title} has ended: ${await readFile(place.log, 'utf8')}`)
    }
    return ask().then(
      () => true,
      () => false,
    )
  }
  return {
    start: async () => {
      server = await startProgram(words, place)
      await waitFor(isReady, { what: title, timeoutMs: 60_000 })
    },
    stop: async () => server?.kill(signal),
  }
}

function asOther(): string[] {
  const isRoot = process.getuid?.() === 0
  return isRoot ? ['/usr/bin/unshare', '--user', '--map-user=1000', '--map-group=1000', '--'] : []
}
