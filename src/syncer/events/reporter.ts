import { createHash } from 'node:crypto'
import type { KubeClient } from '../../kube/client/client.ts'
import { unlessStatus } from '../../kube/kube-error.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { collectionPath } from '../../shared/kube/collections.ts'

const LONGEST_MESSAGE = 1000

export interface Report {
  type: 'Normal' | 'Warning'
  /** In CamelCase, for programs: `SyncRefused`. */
  reason: string
  message: string
}

/** Says in the plane, as Events, what becomes of its objects on the host. */
export interface Reporter {
  /** Says it; the same thing about the same object counts one Event up. It never fails what it reports about. */
  report(object: KubeObject, report: Report): Promise<void>
}

/** A reporter that writes Events to a plane. */
export function createReporter(
  plane: Pick<KubeClient, 'create' | 'get' | 'patch'>,
  { now, onError }: { now: () => Date; onError: (error: unknown) => void },
): Reporter {
  return {
    report: async (object, report) => {
      try {
        await write(plane, toEvent(object, report, now()))
      } catch (error) {
        onError(error)
      }
    },
  }
}

type EventClient = Pick<KubeClient, 'create' | 'get' | 'patch'>

async function write(plane: EventClient, event: KubeObject): Promise<void> {
  const collection = collectionPath('events', event.metadata.namespace ?? 'default')
  const path = `${collection}/${event.metadata.name ?? ''}`
  const known = await plane.get(path)
  const made = known ?? (await unlessStatus([409], plane.create(collection, event)))
  if (known === undefined && made !== undefined) {
    return
  }
  const count = Number(known?.['count'] ?? 1) + 1
  const { lastTimestamp } = event
  await plane.patch(path, { count, lastTimestamp }, { type: 'merge' })
}

function toEvent(object: KubeObject, { message, reason, type }: Report, now: Date): KubeObject {
  const { apiVersion, kind, metadata } = object
  const { name = '', namespace = 'default', resourceVersion, uid } = metadata
  const text = message.slice(0, LONGEST_MESSAGE)
  const hash = createHash('sha256').update([uid, type, reason, text].join('\0')).digest('hex')
  const at = `${now.toISOString().slice(0, 19)}Z`
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name.slice(0, 200)}.${hash.slice(0, 16)}`, namespace },
    involvedObject: { apiVersion, kind, name, namespace: metadata.namespace, uid, resourceVersion },
    type,
    reason,
    message: text,
    count: 1,
    firstTimestamp: at,
    lastTimestamp: at,
    source: { component: 'vplane-syncer' },
  }
}
