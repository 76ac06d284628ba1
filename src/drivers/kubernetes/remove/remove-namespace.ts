import type { Leftover } from '../../../control-plane/driver/driver.ts'
import { MANAGED_BY } from '../../../manifests/object-names.ts'
import { isLeaving, type KubeObject } from '../../../shared/kube/kube-object.ts'
import { isVplaneError, messageOf, VplaneError } from '../../../shared/errors.ts'
import { waitFor } from '../../../shared/wait.ts'
import type { HostApi } from '../host/host-api.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import {
  CREATED_FOR,
  type PlacedName,
  planeSelector,
  RECORD_TYPE,
} from '../context/object-names.ts'
import {
  isReadableRecord,
  readRecord,
  type StoredRecord,
  storedRecordOf,
} from '../record/record-store.ts'
import { titleOf } from '../namespace/leftovers.ts'
import { namespaceContents } from '../namespace/namespace-contents.ts'
import { someOf } from '../../../shared/text/some-of.ts'
import { recordsAt } from '../../../shared/json-fields.ts'

export type NamespaceFate =
  /** vplane did not create it, the user may not read it, or it has another plane, whose deletion deletes it. */
  | { is: 'staying' }
  /** vplane created it, but it has other objects. */
  | { is: 'kept'; leftover: Leftover }
  /** The host is deleting it, with all its objects. */
  | { is: 'ending' }

/** By its namespace, a plane that was not being deleted when it was last read. */
export type StayingPlanes = Map<string, string>

interface EndOptions {
  /** Spares reading all planes of a namespace again when many of them are deleted. @default none is known */
  staying?: StayingPlanes | undefined
  signal: AbortSignal
}

/**
 * Deletes the namespace if vplane created it and it has no other objects. Called as soon as the pods are being deleted,
 * because the host needs time for a namespace.
 */
export async function endNamespace(
  api: HostApi,
  { name, namespace }: PlacedName,
  { signal, staying = new Map() }: EndOptions,
): Promise<NamespaceFate> {
  const found = await readNamespace(api, namespace, signal)
  if (found !== undefined && isLeaving(found)) {
    return { is: 'ending' }
  }
  if (found === undefined || !isCreated(found)) {
    return { is: 'staying' }
  }
  const what = `namespace "${namespace}"`
  try {
    const known = staying.get(namespace)
    if (known !== undefined && known !== name) {
      const stored = await readRecord(api, { name: known, namespace }, { signal })
      if (stored !== undefined && !isEnding(stored)) {
        return { is: 'staying' }
      }
    }
    const planes = await otherPlanes(api, { name, namespace }, signal)
    // Planes are deleted in the order of their names: the last one stays the longest.
    const other = planes.findLast((stored) => !isEnding(stored))
    if (other !== undefined) {
      staying.set(namespace, other.name)
      return { is: 'staying' }
    }
    const ending = planes.map((plane) => plane.name)
    const others = await namespaceContents(api, { namespace, planes: [name, ...ending], signal })
    if (others.length > 0) {
      const why = `it has objects that vplane did not create: ${someOf(others.map(titleOf))}`
      return { is: 'kept', leftover: { what, why, isKept: true } }
    }
    const { uid } = found.metadata
    await api.delete(objectPath('namespaces', { name: namespace }), { signal, uid })
    return { is: 'ending' }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof VplaneError)) {
      throw error
    }
    return { is: 'kept', leftover: { what, why: messageOf(error) } }
  }
}

async function otherPlanes(
  api: HostApi,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<StoredRecord[]> {
  const { items } = await api.list(collectionPath('secrets', namespace), {
    labelSelector: planeSelector(),
    fieldSelector: `type=${RECORD_TYPE}`,
    signal,
  })
  return items
    .flatMap((secret) => storedRecordOf(secret) ?? [])
    .filter((stored) => stored.name !== name)
}

/** Two planes that are deleted together would otherwise leave the namespace to each other. */
function isEnding(stored: StoredRecord): boolean {
  return isReadableRecord(stored) && stored.record.journal?.operation === 'remove'
}

/** Returns why the namespace still exists if its deletion takes too long. */
export async function namespaceEnd(
  api: HostApi,
  namespace: string,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<Leftover[]> {
  let last: KubeObject | undefined
  try {
    await waitFor(
      async (deadline) => {
        last = await readNamespace(api, namespace, deadline)
        return last === undefined
      },
      { what: `the end of namespace "${namespace}"`, timeoutMs, intervalMs: 100, signal },
    )
    return []
  } catch (error) {
    if (!isVplaneError(error, 'TIMED_OUT')) {
      throw error
    }
    return [{ what: `namespace "${namespace}"`, why: whyPresent(last) }]
  }
}

/** Undefined when the namespace does not exist, or the user may not read it. */
async function readNamespace(api: HostApi, namespace: string, signal: AbortSignal) {
  try {
    return await api.get(objectPath('namespaces', { name: namespace }), { signal })
  } catch (error) {
    signal.throwIfAborted()
    if (isVplaneError(error, 'FAILED')) {
      return undefined
    }
    throw error
  }
}

function isCreated({ metadata }: KubeObject): boolean {
  return (
    metadata.labels?.[MANAGED_BY] === 'vplane' && metadata.annotations?.[CREATED_FOR] !== undefined
  )
}

/** The host reports in conditions what it waits for. */
function whyPresent(namespace: KubeObject | undefined): string {
  const messages = recordsAt(namespace, 'status', 'conditions').flatMap(({ message, status }) =>
    status === 'True' ? [String(message)] : [],
  )
  return messages.at(-1) ?? 'the host has not finished deleting it'
}
