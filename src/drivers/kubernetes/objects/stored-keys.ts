import { earliestExpiry } from '../../../pki/plane/certificate-expiry.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { type PlaneFiles, readKeys } from './plane-keys.ts'

/** One of each Secret that holds keys: whoever has these has all. */
const TELLING = ['ca.key', 'etcd/server.key', 'apiserver.key', 'signing-ca.key'] as const

/**
 * The keys of a plane that were stored.
 *
 * @throws {VplaneError} `FAILED` when they are gone: new ones would not be the keys of its data.
 */
export async function storedKeys(
  api: Pick<HostApi, 'list'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<PlaneFiles> {
  return wholeKeys(await readKeys(api, place, signal), place)
}

/**
 * All keys of a plane, as they are.
 *
 * @throws {VplaneError} `FAILED` when some are gone.
 */
export function wholeKeys(files: PlaneFiles, { name, namespace }: PlacedName): PlaneFiles {
  const lost = TELLING.filter((file) => files[file] === undefined)
  if (lost.length > 0) {
    throw new VplaneError(
      'FAILED',
      `keys of "${name}" are gone: no Secret of namespace "${namespace}" holds ${lost.join(', ')}`,
      {
        hints: [
          'put the Secrets back from a backup',
          { purpose: 'or delete the plane', action: 'delete', plane: { name } },
        ],
      },
    )
  }
  return files
}

/** What the record says of a plane's certificates. */
export function certificateFields(
  files: PlaneFiles,
): Pick<PlaneRecord, 'certificateAuthority' | 'certificatesExpireAt'> {
  const certificateAuthority = files['ca.crt']
  const expiry = earliestExpiry(files)
  return {
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
    ...(expiry === undefined ? {} : { certificatesExpireAt: expiry.toISOString() }),
  }
}
