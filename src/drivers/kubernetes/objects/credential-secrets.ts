import type { Leftover } from '../../../control-plane/driver/driver.ts'
import type { CredentialSpecs } from '../../../control-plane/spec/credentials/credentials-spec.ts'
import {
  credentialNamespace,
  credentialNotes,
  credentialSelector,
} from '../../../manifests/credentials/credential-secret.ts'
import { messageOf } from '../../../shared/errors.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlaneRecord } from '../record/plane-record.ts'

export interface RemovedCredentials {
  place: PlacedName
  /** The plane's id: a Secret of another plane stays. */
  id: string
  /** The entries whose Secrets may exist. */
  former: CredentialSpecs | undefined
  /** The entries whose Secrets stay. @default none */
  wanted?: CredentialSpecs | undefined
  signal: AbortSignal
}

/** Deletes the Secrets with credentials of entries that left the spec. Returns those that could not be deleted. */
export async function removeCredentials(
  api: Pick<HostApi, 'delete' | 'get' | 'list'>,
  { former, id, place, signal, wanted }: RemovedCredentials,
): Promise<Leftover[]> {
  const pathsOf = (entries: CredentialSpecs = {}) =>
    Object.values(entries).map((entry) => {
      const namespace = credentialNamespace(entry, place.namespace)
      return objectPath('secrets', { name: entry.secret, namespace })
    })
  const kept = pathsOf(wanted)
  const { items } = await api.list(collectionPath('secrets', place.namespace), {
    labelSelector: credentialSelector(place),
    signal,
  })
  const found = items.map(({ metadata }) => objectPath('secrets', metadata))
  const paths = [...new Set([...found, ...pathsOf(former)])].filter((path) => !kept.includes(path))
  const left = await Promise.all(paths.map((path) => removeOne(api, path, { id, signal })))
  return left.flat()
}

/** Deletes the Secrets with the credentials of a plane, which other namespaces may have too. Returns what it could not delete. */
export async function removeAllCredentials(
  api: Pick<HostApi, 'delete' | 'get' | 'list'>,
  {
    place,
    record,
    signal,
  }: { place: PlacedName; record: PlaneRecord | undefined; signal: AbortSignal },
): Promise<Leftover[]> {
  const { id = '', previousSpec, spec } = record ?? {}
  const former = { ...previousSpec?.credentials, ...spec?.credentials }
  return Object.keys(former).length === 0
    ? []
    : removeCredentials(api, { place, id, former, signal })
}

async function removeOne(
  api: Pick<HostApi, 'delete' | 'get'>,
  path: string,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<Leftover[]> {
  try {
    const secret = await api.get(path, { signal })
    if (secret !== undefined && credentialNotes(secret)?.planeId === id) {
      await api.delete(path, { signal, uid: secret.metadata.uid })
    }
    return []
  } catch (error) {
    signal.throwIfAborted()
    const [, namespace = '', name = ''] = /namespaces\/([^/]+)\/secrets\/(.+)$/.exec(path) ?? []
    return [{ what: `Secret "${name}" in namespace "${namespace}"`, why: messageOf(error) }]
  }
}
