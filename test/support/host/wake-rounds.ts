import { expect } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import type { WakeOfPlane } from './come-again.ts'

const PATIENT = { timeout: 120_000, interval: 250 }

interface RoundOptions {
  described: () => Promise<PlaneDetails>
  /** Writes to the plane: what never writes keeps it awake after the third time. */
  write: (round: number) => Promise<void>
}

/** Waits until a client that comes again has woken a plane so many times. Returns these wakes. */
export async function wakeRounds(
  rounds: number,
  { described, write }: RoundOptions,
): Promise<WakeOfPlane[]> {
  const wakes: WakeOfPlane[] = []
  for (let round = 0; round < rounds; round += 1) {
    const before = (await described()).wakes?.count ?? 0
    await expect.poll(async () => (await described()).wakes?.count, PATIENT).toBeGreaterThan(before)
    wakes.push(...((await described()).wakes?.recent.slice(-1) ?? []))
    await write(round)
  }
  return wakes
}
