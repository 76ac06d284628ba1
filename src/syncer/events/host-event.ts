import { textAt, fieldAt, recordAt, type Json } from '../../shared/json-fields.ts'
import type { OwnHostObject } from '../host-objects/host-objects-named.ts'
import { picked } from '../translate/reading.ts'
import { namesOf, type Naming, toVirtualWords } from '../translate/virtual-words.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** As long as kube-apiserver keeps events, unless it is told otherwise. */
const NEWS_MS = 3_600_000

/** What kube-apiserver takes, in bytes, less a character. */
const LONGEST_MESSAGE = 1020

/** What an event says, the same on both sides. */
const SAID = [
  'action',
  'count',
  'eventTime',
  'firstTimestamp',
  'lastTimestamp',
  'message',
  'reason',
  'reportingComponent',
  'reportingInstance',
  'series',
  'source',
  'type',
]

const ABOUT = ['fieldPath', 'kind', 'name', 'uid']

/** What is kept of the host's events: no more than is said, and nothing of one that was over long before `since`. */
export function cachedEvent(since: Date): (event: KubeObject) => KubeObject | undefined {
  return (event) => {
    const { apiVersion, kind, metadata } = event
    const { name = '', namespace = '', resourceVersion = '', uid = '' } = metadata
    return endOf(event) < since.getTime() - NEWS_MS
      ? undefined
      : {
          apiVersion,
          kind,
          metadata: { name, namespace, resourceVersion, uid },
          ...picked(event, SAID),
          involvedObject: picked(involvedOf(event), ABOUT),
        }
  }
}

/** What an event is about; no field is to be relied on. */
export function involvedOf(event: KubeObject): Json {
  return recordAt(event, 'involvedObject') ?? {}
}

/** The event of the plane for one of the host: about the virtual object, in its words. It is always the same one. */
export function toVirtualEvent(
  event: KubeObject,
  { identity, object }: OwnHostObject,
  nameOf: Required<Naming>['nameOf'],
): KubeObject {
  const { name, namespace, uid } = identity
  const { apiVersion, kind } = object
  const naming = { host: namesOf(object), virtual: identity, nameOf }
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${name.slice(0, 200)}.${event.metadata.uid}`,
      ...(namespace === undefined ? {} : { namespace }),
    },
    involvedObject: {
      apiVersion,
      kind,
      name,
      namespace,
      uid,
      ...picked(involvedOf(event), ['fieldPath']),
    },
    ...picked(event, SAID),
    message: shortened(toVirtualWords(textAt(event, 'message') ?? '', naming)),
  }
}

function endOf(event: KubeObject): number {
  const times = [
    event.metadata['creationTimestamp'],
    event['firstTimestamp'],
    event['lastTimestamp'],
    event['eventTime'],
    fieldAt(event, 'series', 'lastObservedTime'),
  ].flatMap((time) => (typeof time === 'string' ? [Date.parse(time)] : []))
  return Math.max(...times)
}

/** A virtual name may be longer than the host's. */
function shortened(message: string): string {
  const bytes = Buffer.from(message)
  return bytes.length > LONGEST_MESSAGE ? bytes.subarray(0, LONGEST_MESSAGE).toString() : message
}
