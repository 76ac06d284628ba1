import { Wakes, type WakesDependencies } from './wakes.ts'

/** How long a client that woke a plane in vain keeps it awake, in milliseconds: its end cannot be seen from here. */
export const IN_VAIN_MS = 3_600_000

/** The wakes of planes in a host cluster. Clients are told apart by their addresses, and only those that come to the gateway. */
export function wakesByAddress(
  deps: Pick<WakesDependencies, 'boardOf' | 'elapsedMs' | 'now' | 'report'>,
): Wakes {
  return new Wakes({
    ...deps,
    clientsOf: async () => [],
    isPresent: (_source, since) => deps.now().getTime() - since.getTime() < IN_VAIN_MS,
  })
}
