import { hasExactSans } from '../../../pki/plane/server-sans.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import { ownedByNamespace } from '../host/owned-by-namespace.ts'
import {
  makeMissingKeys,
  makeServerCertificate,
  type PlaneFiles,
  serverSansOf,
} from '../objects/plane-keys.ts'
import { allOf, collectionsOf, planeObjects, type PlaneObjects } from '../objects/plane-objects.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { PlaneRecord } from '../record/plane-record.ts'

/** The objects of a plane after a change, and its keys with the certificate of its API. */
export interface WantedObjects extends PlaneObjects {
  files: PlaneFiles
  /** Paths of the collections of the objects. */
  collections: string[]
}

export interface WantedOptions {
  place: PlacedName
  /** The record after the change. */
  record: PlaneRecord
  now: Date
  signal: AbortSignal
}

/**
 * Returns the objects of a plane for its record, with its existing keys, and those of components that are new.
 * @throws {VplaneError} `FAILED` when keys are lost.
 */
export async function wantedObjects(
  api: Pick<HostApi, 'get' | 'list'>,
  { now, place, record, signal }: WantedOptions,
): Promise<WantedObjects> {
  const stored = await storedKeys(api, place, signal)
  const { serverAddresses: addresses = [], spec } = record
  const keys = { ...stored, ...makeMissingKeys(place, stored, { spec, now }) }
  const isValid = hasExactSans(keys['apiserver.crt'] ?? '', serverSansOf(place, spec, addresses))
  const files = isValid
    ? keys
    : { ...keys, ...makeServerCertificate(place, keys, { spec, now, addresses }) }
  const objects = planeObjects(place, record, files)
  return {
    ...objects,
    needed: await ownedByNamespace(api, objects.needed, { ...place, signal }),
    files,
    collections: collectionsOf(allOf(objects)),
  }
}
