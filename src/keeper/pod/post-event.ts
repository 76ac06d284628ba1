import { randomUUID } from 'node:crypto'
import type { KubeClient } from '../../kube/client/client.ts'
import type { KeeperEvent } from '../duties/duty.ts'
import { collectionPath } from '../../shared/kube/collections.ts'

/** What the API server takes at most (validation of events.k8s.io). */
const MESSAGE_LENGTH = 1024

export interface EventPlace {
  /** The object that it is noted about. */
  involved: { kind: string; apiVersion: string; name: string }
  namespace: string
  now: Date
  signal: AbortSignal
}

/** Notes on the host cluster what happened to a plane. */
export async function postEvent(
  host: Pick<KubeClient, 'create'>,
  { level, message, reason }: KeeperEvent,
  { involved, namespace, now, signal }: EventPlace,
): Promise<void> {
  const time = now.toISOString()
  await host.create(
    collectionPath('events', namespace),
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${involved.name}.${randomUUID()}`, namespace },
      involvedObject: { ...involved, namespace },
      reason,
      message: message.slice(0, MESSAGE_LENGTH),
      type: level === 'warning' ? 'Warning' : 'Normal',
      source: { component: 'vplane-keeper' },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    },
    { signal },
  )
}
