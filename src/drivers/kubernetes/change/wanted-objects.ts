import { hasExactSans } from '../../../pki/plane/server-sans.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import { ownedByNamespace } from '../host/owned-by-namespace.ts'
import { makeServerCertificate, type PlaneFiles, serverSansOf } from '../objects/plane-keys.ts'
import { allOf, collectionsOf, planeObjects, type PlaneObjects } from '../objects/plane-objects.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { PlaneRecord } from '../record/plane-record.ts'

/** What a plane is to be made of, and its keys with the certificate that its API is to have. */
export interface WantedObjects extends PlaneObjects {
  files: PlaneFiles
  /** Paths of all collections that they are in. */
  collections: string[]
}

export interface WantedOptions {
  place: PlacedName
  /** As it is to be. */
  record: PlaneRecord
  now: Date
  signal: AbortSignal
}

/**
 * The objects of a plane as its record asks for them, with the keys that it has.
 *
 * @throws {VplaneError} `FAILED` when keys are lost.
 */
export async function wantedObjects(
  api: Pick<HostApi, 'get' | 'list'>,
  { now, place, record, signal }: WantedOptions,
): Promise<WantedObjects> {
  const kept = await storedKeys(api, place, signal)
  const { serverAddresses: addresses = [], spec } = record
  const isNamed = hasExactSans(kept['apiserver.crt'] ?? '', serverSansOf(place, spec, addresses))
  const files = isNamed
    ? kept
    : { ...kept, ...makeServerCertificate(place, kept, { spec, now, addresses }) }
  const objects = planeObjects(place, record, files)
  return {
    ...objects,
    needed: await ownedByNamespace(api, objects.needed, { ...place, signal }),
    files,
    collections: collectionsOf(allOf(objects)),
  }
}
