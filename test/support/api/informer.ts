import { waitFor } from '../../../src/shared/wait.ts'
import type { Cli } from '../cli/cli.ts'
import { goProgram } from '../programs/go-program.ts'

const SEEN_MS = 60_000

/** A client-go informer of the ConfigMaps in `default`, in a process of its own. */
export interface Informer extends AsyncDisposable {
  /** The names that it has come to know, in their order. */
  soFar(): string[]
  /** Waits until it knows one, a minute unless told otherwise; returns the names of all that it has come to know. */
  sees(name: string, timeoutMs?: number): Promise<string[]>
  /** Whether it still runs. */
  isRunning(): boolean
  /** How often it had to ask for everything that there is: once at the beginning, and whenever it had lost its place. */
  lists(): number
  /** What client-go says of its watches, with why it asked again. */
  log(): string
}

/**
 * Starts an informer that runs until it is disposed.
 *
 * @param plane NAME and flags, for a way in of its own; without it the current context is used
 */
export async function startInformer(
  cli: Pick<Cli, 'start'>,
  plane?: readonly string[],
): Promise<Informer> {
  const program = await goProgram('watcher')
  const running =
    plane === undefined
      ? cli.start([], { program })
      : cli.start(['connect', ...plane, '--', program])
  let said = ''
  let log = ''
  running.child.stdout?.on('data', (text: string) => (said += text))
  running.child.stderr?.on('data', (text: string) => (log += text))
  /** The last line may not be whole yet. */
  const lines = (word: string) =>
    said
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith(word))
  const soFar = () => lines('added ').map((line) => line.split(' ')[1] ?? '')
  await running.says('listed')
  return {
    soFar,
    sees: async (name, timeoutMs = SEEN_MS) => {
      await waitFor(() => Promise.resolve(soFar().includes(name)), {
        what: `the informer to see "${name}"`,
        timeoutMs,
      })
      return soFar()
    },
    isRunning: () => running.child.exitCode === null,
    lists: () => lines('listed').length,
    log: () => log,
    [Symbol.asyncDispose]: async () => {
      running.child.kill('SIGTERM')
      await running.ended
    },
  }
}
