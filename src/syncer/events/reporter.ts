import { createHash } from 'node:crypto'
import type { KubeClient } from '../../kube/client/client.ts'
import { httpStatusOf, unlessStatus } from '../../kube/kube-error.ts'
import { messageOf } from '../../shared/errors.ts'
import { collectionPath } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import { hostNameOf, parseHostName } from '../translate/host-name.ts'
import type { Refusal } from '../translate/refusal.ts'
import { namesOf, toVirtualWords } from '../translate/virtual-words.ts'

const LONGEST_MESSAGE = 1000

export interface Report {
  type: 'Normal' | 'Warning'
  /** In CamelCase, for programs: `SyncRefused`. */
  reason: string
  message: string
}

type EventClient = Pick<KubeClient, 'create' | 'get' | 'patch'>

/** Reports in the plane, as Events, what happens to its objects on the host. */
export interface Reporter {
  /** Creates an Event, or increases the count of the same one; it never throws. */
  report(object: KubeObject, report: Report): Promise<void>
}

/** A reporter that writes Events to a plane. */
export function createReporter(
  plane: EventClient,
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

async function write(plane: EventClient, event: KubeObject): Promise<void> {
  const collection = collectionPath('events', event.metadata.namespace ?? 'default')
  const path = `${collection}/${event.metadata.name ?? ''}`
  const known = await plane.get(path)
  if (known === undefined && (await unlessStatus([409], plane.create(collection, event)))) {
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

/** Whether the host would refuse the same request again, instead of failing for the moment. */
export function isFinalRefusal(error: unknown): boolean {
  return [400, 403, 405, 422].includes(httpStatusOf(error) ?? 0)
}

/** A message of the host about a virtual object, with the names of the plane. */
export function hostMessage(scope: SyncScope, virtual: KubeObject, error: unknown): string {
  const { namespace } = scope.host
  return toVirtualWords(messageOf(error), {
    host: { name: hostNameOf(scope, namesOf(virtual)), namespace },
    virtual: namesOf(virtual),
    nameOf: (hostName) => parseHostName(scope, hostName)?.name,
  })
}

/** Reports in an Event why the syncer does not send a virtual object to the host. */
export function reportRefusal(
  { reporter }: { reporter: Reporter },
  virtual: KubeObject,
  { refusals }: Refusal,
): Promise<void> {
  const message = `not synced to the host cluster: ${refusals.join('; ')}`
  return reporter.report(virtual, { type: 'Warning', reason: 'SyncRefused', message })
}

export interface Asking {
  reporter: Reporter
  scope: SyncScope
  /** The virtual objects, as they are now, that have a field that the host does not know, with what their Events say. */
  unreadable: WeakMap<KubeObject, Report>
}

/**
 * Awaits a request to the host for a virtual object; an Event reports a refusal. Undefined, now and later, when the host
 * does not know a field of the object: it would refuse each request until the object changes. After an upgrade of the
 * host, a new syncer asks again.
 */
export async function askHost<Answer>(
  { reporter, scope, unreadable }: Asking,
  virtual: KubeObject,
  ask: () => Promise<Answer>,
): Promise<Answer | undefined> {
  const known = unreadable.get(virtual)
  if (known !== undefined) {
    // Events expire after an hour.
    await reporter.report(virtual, known)
    return undefined
  }
  try {
    return await ask()
  } catch (error) {
    const message = `refused by the host cluster: ${hostMessage(scope, virtual, error)}`
    const report: Report = { type: 'Warning', reason: 'HostRefused', message }
    if (isFinalRefusal(error)) {
      await reporter.report(virtual, report)
    }
    if (hasUnknownField(error)) {
      unreadable.set(virtual, report)
      return undefined
    }
    throw error
  }
}

/** Of kube-apiserver 1.34 to 1.37, with strict validation (runtime.NewStrictDecodingError, StrictErrors). */
function hasUnknownField(error: unknown): boolean {
  return (
    httpStatusOf(error) === 400 && /strict decoding error: unknown field/.test(messageOf(error))
  )
}
