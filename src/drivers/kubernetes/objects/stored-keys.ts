import { SHARED_ETCD_CERTIFICATE } from '../../../control-plane/store/shared-etcd-certificate.ts'
import { earliestExpiry } from '../../../pki/plane/certificate-expiry.ts'
import { portableFiles } from '../../../pki/plane/portable-files.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { omitUndefined } from '../../../shared/omit-undefined.ts'
import { type PlaneFiles, readKeys } from './plane-keys.ts'

/** One file from each Secret with keys: if all of these exist, no Secret is missing. */
const ONE_PER_SECRET = ['ca.key', 'etcd/server.key', 'apiserver.key', 'signing-ca.key'] as const

/** A plane with a shared etcd has none for a store of its own. */
const OF_OWN_STORE = 'etcd/server.key'

/** @throws {VplaneError} `FAILED` when some are missing: new ones would not match its data. */
export async function storedKeys(
  api: Pick<HostApi, 'list'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<PlaneFiles> {
  return wholeKeys(await readKeys(api, place, signal), place)
}

/** @throws {VplaneError} `FAILED` when some are missing. */
export function wholeKeys(files: PlaneFiles, { name, namespace }: PlacedName): PlaneFiles {
  const isShared = files[SHARED_ETCD_CERTIFICATE] !== undefined
  const lost = ONE_PER_SECRET.filter(
    (file) => files[file] === undefined && !(isShared && file === OF_OWN_STORE),
  )
  if (lost.length > 0) {
    throw new VplaneError(
      'FAILED',
      `keys of "${name}" are missing: no Secret in namespace "${namespace}" has ${lost.join(', ')}`,
      {
        hints: [
          'restore the Secrets from a backup',
          { purpose: 'or delete the plane', action: 'delete', plane: { name } },
        ],
      },
    )
  }
  return files
}

/** Returns the keys and CA certificates by which others know a plane, by file name. */
export async function planeKeys(
  api: Pick<HostApi, 'list'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<PlaneFiles> {
  return portableFiles(await storedKeys(api, place, signal))
}

/** Returns the fields of a record that describe the certificates of its plane. */
export function certificateFields(
  files: PlaneFiles,
): Pick<PlaneRecord, 'certificateAuthority' | 'certificatesExpireAt'> {
  return omitUndefined({
    certificateAuthority: files['ca.crt'],
    certificatesExpireAt: earliestExpiry(files)?.toISOString(),
  })
}
