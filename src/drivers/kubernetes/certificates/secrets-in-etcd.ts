import { ENCRYPTION_FILE } from '../../../control-plane/components/encryption-configuration.ts'
import type { StoredSecrets } from '../../../control-plane/driver/plane-certificates.ts'
import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { storeOf } from '../../../control-plane/store/store.ts'
import { readSecrets } from '../../../etcd/data/read-secrets.ts'
import type { Host } from '../context/context.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import { hostedEtcd } from '../etcd/hosted-etcd.ts'
import type { PlacedName } from '../context/object-names.ts'

/** Reads from etcd, or kine, of a plane how its Secrets are stored. */
export async function secretsInEtcd(
  host: Host,
  { place, signal, spec }: { place: PlacedName; spec: PlaneSpec; signal: AbortSignal },
): Promise<StoredSecrets> {
  const { [ENCRYPTION_FILE]: configuration = '' } = await storedKeys(host.api, place, signal)
  const connection = await hostedEtcd(
    host,
    { ...place, component: storeOf(spec).component },
    signal,
  )
  return await readSecrets(connection, { configuration, spec, signal })
}
