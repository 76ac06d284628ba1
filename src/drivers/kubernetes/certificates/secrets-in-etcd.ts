import { ENCRYPTION_FILE } from '../../../control-plane/components/encryption-configuration.ts'
import type { StoredSecrets } from '../../../control-plane/plane-certificates.ts'
import type { PlaneSpec } from '../../../control-plane/spec.ts'
import { readSecrets } from '../../../etcd/read-secrets.ts'
import type { Host } from '../context.ts'
import { keptKeys } from '../create/kept-keys.ts'
import { hostedEtcd } from '../data/hosted-etcd.ts'
import type { PlacedName } from '../object-names.ts'

export interface SecretsInEtcdOptions {
  place: PlacedName
  spec: PlaneSpec
  signal: AbortSignal
}

/**
 * Looks in etcd of a plane how its Secrets are stored.
 *
 * @throws {VplaneError} as `keptKeys`, `hostedEtcd` and `readSecrets` do.
 */
export async function secretsInEtcd(
  host: Host,
  { place, signal, spec }: SecretsInEtcdOptions,
): Promise<StoredSecrets> {
  const { [ENCRYPTION_FILE]: configuration = '' } = await keptKeys(host.api, place, signal)
  const connection = await hostedEtcd(host, place, signal)
  return await readSecrets(connection, { configuration, spec, signal })
}
