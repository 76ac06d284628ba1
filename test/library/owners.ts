import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const OWNER = join(import.meta.dirname, 'owner.ts')

/** A temporary folder for the planes of owners. */
export interface OwnerPlace extends AsyncDisposable {
  folder: string
  /** The home of the owners; it does not exist. */
  home: string
  /** Starts a process that owns so many planes, and returns when it waits for the first of them. */
  start(planes: number): Promise<{ owner: ChildProcess; readiness: Promise<string[]> }>
  /** Names of the planes that have a folder. */
  planes(): string[]
  /** Command lines of all processes that know the folder, and their guards, by process id. */
  processes(): Map<number, string>
}

export function ownerPlace(): OwnerPlace {
  const folder = mkdtempSync(join(tmpdir(), 'vplane-owners-'))
  const owners: ChildProcess[] = []
  const home = join(folder, 'home')
  const root = join(folder, `vplane-${process.getuid?.()}`)
  return {
    folder,
    home,
    start: async (planes) => {
      const owner = spawn(process.execPath, [OWNER, String(planes)], {
        env: { ...process.env, TMPDIR: folder, HOME: home, XDG_CACHE_HOME: cacheHome() },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      owners.push(owner)
      const lines = createInterface(owner.stdout)
      const readiness = new Promise<string[]>((resolve) => {
        lines.on('line', (line) => line.startsWith('[') && resolve(JSON.parse(line)))
      })
      await once(lines, 'line')
      return { owner, readiness }
    },
    planes: () => {
      try {
        return readdirSync(join(root, 'planes'))
      } catch {
        // No owner has started anything yet.
        return []
      }
    },
    processes: () => processesOf(root),
    [Symbol.asyncDispose]: async () => {
      for (const owner of owners) {
        if (owner.exitCode === null && owner.signalCode === null) {
          owner.kill('SIGKILL')
          await once(owner, 'exit')
        }
      }
      // Their guards may be at work in there.
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}

/** Where binaries are, whatever the home is. */
function cacheHome(): string {
  return process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
}

/** The guard of a process. */
export function guardOf({ pid }: ChildProcess): number {
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  const guard = lines
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [])
    .find(([, , parent, args = '']) => Number(parent) === pid && args.includes('vplane-guard'))
  return Number(guard?.[1])
}

function processesOf(root: string): Map<number, string> {
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' })
  return new Map(
    lines
      .split('\n')
      .filter((line) => line.includes(root))
      .map((line) => /^\s*(\d+)\s+(.*)$/.exec(line) ?? [])
      .map(([, processId, args = '']) => [Number(processId), args]),
  )
}
