import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cli } from './cli.ts'

/** Somebody who writes into a plane all the time, through one way in. */
export interface ConfigMapWriter {
  /** Which objects the API has taken so far. */
  soFar(): Promise<string[]>
  /**
   * Ends it, and says which objects the API has taken, for how long it took none at most, and of each that it has not
   * taken when that was and why.
   */
  stop(): Promise<{ taken: string[]; failures: string[]; longestGapMs: number }>
}

/** For whom no request is to fail: on a machine that does much else one may wait. */
export const PATIENT = '30s'

let writers = 0

/**
 * Starts somebody who makes one ConfigMap after the other in a plane, and tries on when one is refused.
 *
 * @param plane NAME and flags, for a way in of its own; without it the current context is used
 * @param patience how long it waits for an answer; kubectl itself does so for ever
 */
export async function startWriter(
  cli: Pick<Cli, 'root' | 'start'>,
  plane?: readonly string[],
  patience = '10s',
): Promise<ConfigMapWriter> {
  writers += 1
  const end = join(cli.root, `writer-${writers}-ends`)
  const prefix = `written-${writers}`
  const loop = `i=0
    while [ ! -e '${end}' ]; do
      i=$((i+1))
      began=$(date +%T)
      if said=$(kubectl create configmap ${prefix}-$i --request-timeout=${patience} 2>&1)
      then echo taken ${prefix}-$i; else echo "failed from $began to $(date +%T): $said"; fi
    done`
  const running =
    plane === undefined
      ? cli.start(['-c', loop], { program: 'sh' })
      : cli.start(['connect', ...plane, '--', 'sh', '-c', loop])
  const gaps = gapsOf(running.child.stdout)
  await running.says('taken')
  return {
    soFar: async () => takenOf(await running.says('taken')),
    stop: async () => {
      writeFileSync(end, '')
      const { stdout } = await running.ended
      const failures = stdout.split('\n').filter((line) => line.startsWith('failed '))
      return { taken: takenOf(stdout), failures, longestGapMs: gaps.longestMs }
    },
  }
}

/** The last line may not be whole yet. */
function takenOf(stdout: string): string[] {
  const lines = stdout.split('\n').slice(0, -1)
  return lines.filter((line) => line.startsWith('taken ')).map((line) => line.slice(6))
}

/** Which ConfigMaps that a plane has taken it has no more. */
export async function lostOf(
  cli: Pick<Cli, 'ok'>,
  plane: readonly string[],
  taken: readonly string[],
): Promise<string[]> {
  const get = ['kubectl', 'get', 'configmaps', '--output', 'name']
  const stored = await cli.ok(['connect', ...plane, '--', ...get])
  const names = new Set(stored.split('\n').map((name) => name.replace('configmap/', '')))
  return taken.filter((name) => !names.has(name))
}

/** Watches how long it takes from one object that was taken to the next. */
function gapsOf(stdout: NodeJS.ReadableStream | null): { longestMs: number } {
  const gaps = { longestMs: 0 }
  let last: number | undefined
  stdout?.on('data', (text: string) => {
    if (text.includes('taken')) {
      const now = performance.now()
      gaps.longestMs = Math.max(gaps.longestMs, now - (last ?? now))
      last = now
    }
  })
  return gaps
}
