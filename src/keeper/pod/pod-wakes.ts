import type { KubeClient } from '../../kube/client/client.ts'
import { objectName } from '../../manifests/object-names.ts'
import type { KeeperEvent } from '../duties/duty.ts'
import { statusBoard } from '../duties/status-board.ts'
import { Wakes } from '../wake/wakes.ts'

/** How long a client that woke a plane in vain keeps it awake, in milliseconds: its end cannot be seen from here. */
const IN_VAIN_MS = 3_600_000

interface PodWakesOptions {
  namespace: string
  report: (plane: string, event: KeeperEvent) => void
  now: () => Date
  signal: AbortSignal
}

/** The wakes of the planes of a namespace. Clients are told apart by their addresses, and only those that come to the gateway. */
export function podWakes(
  host: Pick<KubeClient, 'get' | 'patch'>,
  { namespace, now, report, signal }: PodWakesOptions,
): Wakes {
  return new Wakes({
    boardOf: ({ name }) => {
      const place = { name: objectName(name, 'keeper-status'), namespace }
      const board = statusBoard(host, 'wakes', place)
      return { read: () => board.read(signal), write: (status) => board.write(status, signal) }
    },
    clientsOf: async () => [],
    isPresent: (_source, since) => now().getTime() - since.getTime() < IN_VAIN_MS,
    report: ({ name }, event) => report(name, event),
    now,
  })
}
