import type { Operation } from '../../../control-plane/driver/operation.ts'
import { etcdAddress } from '../../../control-plane/store/etcd-address.ts'
import type { EtcdConnection } from '../../../etcd/etcd-connection.ts'
import { sharedEtcdConnection } from '../../../etcd/shared/shared-etcd-connection.ts'
import { type HostedSharedEtcd, SHARED_ETCD_FILES } from '../../../manifests/shared-etcd-files.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { Host } from '../context/context.ts'
import type { PlacedName } from '../context/object-names.ts'
import { openRelay } from '../database/open-relay.ts'
import type { PlaneFiles } from '../objects/plane-keys.ts'
import type { PlaneRecord } from '../record/plane-record.ts'

type Credentials = Pick<EtcdConnection, 'certificate' | 'certificateAuthority' | 'key'>

/** A way to a shared etcd through a pod in the namespace of a plane. */
export interface SharedEtcdRelay extends AsyncDisposable {
  /** @throws {VplaneError} `UNREACHABLE` when no member accepts a connection */
  as: (credentials: Credentials) => Promise<EtcdConnection>
}

interface OpenOptions {
  place: PlacedName
  record: PlaneRecord
  facts: HostedSharedEtcd
  operation: Operation
}

/** Runs that pod until it is disposed. @throws {VplaneError} as `openRelay` does. */
export async function openSharedEtcd(
  host: Pick<Host, 'api' | 'context' | 'forward'>,
  { facts: { endpoints }, operation, place, record }: OpenOptions,
): Promise<SharedEtcdRelay> {
  const relay = await openRelay(host, {
    place,
    record,
    operation,
    servers: endpoints.map(etcdAddress),
    what: 'the shared etcd',
    failed: (reason) => new VplaneError('UNREACHABLE', reason),
  })
  return {
    as: (credentials) =>
      sharedEtcdConnection(
        endpoints,
        { ...credentials, dial: (index) => relay.dial(index) },
        operation.signal,
      ),
    [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose](),
  }
}

/** The credentials of a plane, of its files. */
export function credentialsIn(files: PlaneFiles): Credentials {
  const { authorities, certificate, key } = SHARED_ETCD_FILES
  return {
    certificateAuthority: files[authorities] ?? '',
    certificate: files[certificate] ?? '',
    key: files[key] ?? '',
  }
}
