import type { CommandRun } from '../run-command.ts'

/** How often a command that takes less than a second is measured. */
const ROUNDS = 5

/** How long a command takes, one time after the other, in milliseconds. */
export async function timesOf(command: () => Promise<CommandRun>): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    times.push((await command()).ms)
  }
  return times
}
