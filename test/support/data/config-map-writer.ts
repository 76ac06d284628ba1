import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../src/shared/package-root.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import type { Cli } from '../cli/cli.ts'

const STEADY_WRITER = join(packageRoot(), 'test/support/data/steady-writer.ts')

/** Someone who writes into a plane all the time, through one way in. */
export interface ConfigMapWriter {
  /** Which objects the API has taken so far. */
  soFar(): Promise<string[]>
  /**
   * Ends it, and says which objects the API has taken, for how long it took none at most, and of each that it has not
   * taken when that was and why.
   */
  stop(): Promise<{ taken: string[]; failures: string[]; longestGapMs: number }>
}

export interface WriterOptions {
  /**
   * How many requests it begins in a second, each with a connection of its own and whether or not those before have their
   * answers; it needs a plane to be named. @default one after the other, by kubectl, as fast as that is
   */
  perSecond?: number
  /** How many seconds it waits for an answer; kubectl itself waits forever. @default 10 */
  patienceSeconds?: number
}

/** For whom no request is to fail: on a machine that does much else one may wait. */
export const PATIENT: WriterOptions = { patienceSeconds: 30 }

/** Whatever happens to a plane, it serves again after this. */
const RECOVERY_MS = 180_000

let writers = 0

/**
 * Starts someone who makes one ConfigMap after the other in a plane, and tries on when one is refused.
 *
 * @param plane NAME and flags, for a way in of its own; without it the current context is used
 */
export async function startWriter(
  cli: Pick<Cli, 'root' | 'start'>,
  plane?: readonly string[],
  { patienceSeconds = 10, perSecond }: WriterOptions = {},
): Promise<ConfigMapWriter> {
  writers += 1
  const end = join(cli.root, `writer-${writers}-ends`)
  const prefix = `written-${writers}`
  const command =
    perSecond === undefined
      ? ['sh', '-c', kubectlLoop({ prefix, end, patienceSeconds })]
      : [process.execPath, STEADY_WRITER, prefix, end, String(perSecond), String(patienceSeconds)]
  const [program = '', ...args] = command
  const running =
    plane === undefined
      ? cli.start(args, { program })
      : cli.start(['connect', ...plane, '--', ...command])
  const gaps = gapsOf(running.child.stdout)
  await running.says('taken')
  return {
    soFar: async () => takenOf(await running.says('taken')),
    stop: async () => {
      writeFileSync(end, '')
      const { stdout } = await running.ended
      const failures = stdout.split('\n').filter((line) => line.startsWith('failed '))
      const taken = takenOf(stdout)
      return { taken, failures, longestGapMs: gaps.longestMs }
    },
  }
}

/** What etcd says of a write in whose moment its lead went over. */
const LEAD_WENT_OVER = /raft proposal dropped|etcdserver: request timed out/

/**
 * The failures of a writer but for one in whose moment the lead of etcd went over, as docs/certificates.md allows; all of them when
 * there are more of that kind: the lead is handed over in lulls.
 */
export function beyondTheLead(failures: readonly string[]): string[] {
  const others = failures.filter((failure) => !LEAD_WENT_OVER.test(failure))
  return failures.length - others.length > 1 ? [...failures] : others
}

/** Failures in one line for each reason: how many there were, the first and the last; hundreds of lines hide what happened. */
export function byReason(failures: readonly string[]): string[] {
  const groups = Object.groupBy(failures, (failure) =>
    failure.replace(/^failed from \S+ to \S+: /, ''),
  )
  return Object.values(groups).map((group = []) => `${group.length}: ${group[0]} … ${group.at(-1)}`)
}

function kubectlLoop({
  end,
  patienceSeconds,
  prefix,
}: {
  prefix: string
  end: string
  patienceSeconds: number
}): string {
  return `i=0
    while [ ! -e '${end}' ]; do
      i=$((i+1))
      began=$(date +%T)
      if said=$(kubectl create configmap ${prefix}-$i --request-timeout=${patienceSeconds}s 2>&1)
      then echo taken ${prefix}-$i; else echo "failed from $began to $(date +%T): $said"; fi
    done`
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

/** Waits until the API of a writer has taken some more objects. */
export async function untilTaken(writer: Pick<ConfigMapWriter, 'soFar'>): Promise<void> {
  const before = (await writer.soFar()).length
  await waitFor(async () => (await writer.soFar()).length > before + 2, {
    what: 'acknowledged writes',
    timeoutMs: RECOVERY_MS,
  })
}

/** Does something to a plane while someone writes, and continues to. Returns which objects the API has taken and has no more. */
export async function lostWhile(
  cli: Pick<Cli, 'ok' | 'root' | 'start'>,
  plane: readonly string[],
  work: () => Promise<unknown>,
): Promise<string[]> {
  const writer = await startWriter(cli, plane)
  await untilTaken(writer)
  await work()
  await untilTaken(writer)
  return lostOf(cli, plane, (await writer.stop()).taken)
}

/** Watches how long it takes from one object that was taken to the next. */
function gapsOf(stdout: NodeJS.ReadableStream | null) {
  const gaps = { longestMs: 0, lastMs: 0 }
  stdout?.on('data', (text: string) => {
    if (text.includes('taken')) {
      const now = performance.now()
      gaps.longestMs = Math.max(gaps.longestMs, now - (gaps.lastMs || now))
      gaps.lastMs = now
    }
  })
  return gaps
}
