import { textAt, fieldAt, recordAt, type Json } from '../../shared/json-fields.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { collectionPath } from '../../shared/kube/collections.ts'
import type { OwnHostObject } from '../host-objects/host-objects-named.ts'
import { SHOWN_VERSION_ANNOTATION, VIRTUAL_LABEL } from '../translate/markers.ts'
import { picked, provided } from '../translate/reading.ts'
import { namesOf, type Naming, toVirtualWords } from '../translate/virtual-words.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** The default lifetime of events in kube-apiserver. */
const MAX_AGE_MS = 3_600_000

/** The limit of kube-apiserver in bytes, minus a character. */
const LONGEST_MESSAGE = 1020

const COPIED_FIELDS = [
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

/** The part of the host's events that the syncer caches: nothing of those that ended long before `since`. */
export function cachedEvent(since: Date): (event: KubeObject) => KubeObject | undefined {
  return (event) => {
    const { apiVersion, kind, metadata } = event
    const { name = '', namespace = '', resourceVersion = '', uid = '' } = metadata
    return endOf(event) < since.getTime() - MAX_AGE_MS
      ? undefined
      : {
          apiVersion,
          kind,
          metadata: { name, namespace, resourceVersion, uid },
          ...picked(event, COPIED_FIELDS),
          involvedObject: picked(involvedOf(event), ['fieldPath', 'kind', 'name', 'uid']),
        }
  }
}

/** The object of an event, whose fields may all be missing. */
export function involvedOf(event: KubeObject): Json {
  return recordAt(event, 'involvedObject') ?? {}
}

/** The plane's event for one of the host, about the virtual object and with its names; its own name is always the same. */
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
      labels: { [VIRTUAL_LABEL]: 'true' },
      annotations: { [SHOWN_VERSION_ANNOTATION]: event.metadata.resourceVersion ?? '' },
      ...provided({ namespace }),
    },
    involvedObject: {
      apiVersion,
      kind,
      name,
      namespace,
      uid,
      ...picked(involvedOf(event), ['fieldPath']),
    },
    ...picked(event, COPIED_FIELDS),
    message: shortened(toVirtualWords(textAt(event, 'message') ?? '', naming)),
  }
}

/** The versions of the host's events that an earlier syncer has shown in the plane, by their UIDs. */
export async function shownVersions(
  plane: Pick<KubeClient, 'list'>,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const labelSelector = `${VIRTUAL_LABEL}=true`
  const options = { labelSelector, metadataOnly: true, signal }
  const { items } = await plane.list(collectionPath('events'), options)
  return new Map(
    items.map(({ metadata: { annotations, name = '' } }) => [
      name.slice(name.lastIndexOf('.') + 1),
      annotations?.[SHOWN_VERSION_ANNOTATION] ?? '',
    ]),
  )
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

/** A virtual name may be longer than the host name that it replaces. */
function shortened(message: string): string {
  const bytes = Buffer.from(message)
  return bytes.length > LONGEST_MESSAGE ? bytes.subarray(0, LONGEST_MESSAGE).toString() : message
}
