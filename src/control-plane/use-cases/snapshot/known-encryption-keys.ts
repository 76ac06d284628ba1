import { VplaneError } from '../../../shared/errors.ts'
import { encryptionKeyHashes } from '../../components/encryption-configuration.ts'
import type { Driver } from '../../driver/driver.ts'
import type { Plane } from '../../plane/plane.ts'

/** Hashes of the keys that encrypt its Secrets; undefined when they cannot be read, as the data is worth a copy anyway. */
export async function knownEncryptionKeys(
  driver: Pick<Driver, 'keys'>,
  plane: Plane,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  try {
    return encryptionKeyHashes(await driver.keys(plane, signal))
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof VplaneError)) {
      throw error
    }
    return undefined
  }
}
