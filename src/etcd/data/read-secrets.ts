import {
  encryptedPrefix,
  encryptionKeysOf,
} from '../../control-plane/components/encryption-configuration.ts'
import type { PlaneSpec } from '../../control-plane/spec/spec.ts'
import type { StoredSecrets } from '../../control-plane/driver/plane-certificates.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { readRange, registryRange } from './read-range.ts'

/** Secrets per request: each has at most a mebibyte, and most have a kibibyte. */
const PAGE = 100

export interface ReadSecretsOptions {
  /** The text of the plane's EncryptionConfiguration. */
  configuration: string
  spec: Pick<PlaneSpec, 'etcd'>
  signal: AbortSignal
}

/** Checks in etcd which Secrets of a plane are not encrypted with the first key of its configuration. */
export async function readSecrets(
  connection: EtcdConnection,
  { configuration, signal, spec }: ReadSecretsOptions,
): Promise<StoredSecrets> {
  const { folder, ...range } = registryRange(spec, 'secrets')
  const [key] = encryptionKeysOf(configuration)
  const wanted = Buffer.from(encryptedPrefix(key))
  const stale: string[] = []
  let count = 0
  for await (const pair of readRange(connection, { ...range, limit: PAGE, signal })) {
    count += 1
    if (!pair.value.subarray(0, wanted.length).equals(wanted)) {
      stale.push(pair.key.toString().slice(folder.length))
    }
  }
  return { count, stale }
}
