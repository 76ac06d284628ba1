import { ENCRYPTION_FILE } from '../../../control-plane/components/encryption-configuration.ts'
import type { StoredSecrets } from '../../../control-plane/driver/plane-certificates.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import { readSecrets } from '../../../etcd/data/read-secrets.ts'
import type { Host } from '../context/context.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import { openStore } from '../shared-etcd/open-store.ts'
import type { PlacedName } from '../context/object-names.ts'

/** Reads from etcd, or kine, of a plane how its Secrets are stored. */
export async function secretsInEtcd(
  host: Host,
  {
    id,
    place,
    signal,
    spec,
  }: Pick<Plane, 'id' | 'spec'> & { place: PlacedName; signal: AbortSignal },
): Promise<StoredSecrets> {
  const { [ENCRYPTION_FILE]: configuration = '' } = await storedKeys(host.api, place, signal)
  await using store = await openStore(host, { id, place, spec, signal })
  return await readSecrets(store.connection, { configuration, spec: store.spec, signal })
}
