import { startCommand } from '../../test/support/cli/cli.ts'
import { lostOf, startWriter } from '../../test/support/data/config-map-writer.ts'
import type { HostLab } from './host-lab.ts'
import type { CommandRun } from '../run-command.ts'

/** What came of the writes of a client while something was done to its plane. */
export interface WrittenMeanwhile {
  /** How long that took. */
  ms: number
  /** Writes that the plane has taken. */
  taken: number
  /** Writes that it has not. */
  failures: number
  /** Those that it has taken and does not have any more. */
  lost: number
}

/**
 * Does something to a plane while a client writes into it, one object after the other.
 *
 * @param place NAME and flags of the plane.
 */
export async function writeMeanwhile(
  { environment: env, vplane, workspace }: HostLab,
  place: readonly string[],
  work: () => Promise<CommandRun>,
): Promise<WrittenMeanwhile> {
  const cli = {
    root: workspace.folder,
    start: (args: readonly string[], { program = 'vplane' } = {}) =>
      startCommand(program, args, { env }),
    ok: async (args: readonly string[]) => (await vplane(...args)).stdout,
  }
  const writer = await startWriter(cli, place)
  await using stack = new AsyncDisposableStack()
  stack.defer(async () => void (await writer.stop()))
  const { ms } = await work()
  const { failures, taken } = await writer.stop()
  const lost = await lostOf(cli, place, taken)
  return { ms, taken: taken.length, failures: failures.length, lost: lost.length }
}

/** How often the client wrote, over all rounds, for a note. */
export function formatWrites(rounds: readonly WrittenMeanwhile[]): string {
  const taken = rounds.reduce((sum, round) => sum + round.taken, 0)
  const seconds = rounds.reduce((sum, { ms }) => sum + ms, 0) / 1000
  return `${taken} writes by a client that opens a connection for each write, ${(taken / seconds).toFixed(1)} a second`
}
