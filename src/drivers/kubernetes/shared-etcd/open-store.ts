import type { Plane } from '../../../control-plane/plane/plane.ts'
import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { storeOf } from '../../../control-plane/store/store.ts'
import type { EtcdConnection } from '../../../etcd/etcd-connection.ts'
import { hostedSharedEtcd } from '../../../manifests/shared-etcd-files.ts'
import { silentUi } from '../../../shared/ui.ts'
import type { Host } from '../context/context.ts'
import type { PlacedName } from '../context/object-names.ts'
import { hostedEtcd } from '../etcd/hosted-etcd.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import { readPlane } from '../record/hold-plane.ts'
import { credentialsIn, openSharedEtcd } from './open-shared-etcd.ts'

/** A connection to what stores the data of a plane, until it is disposed. */
export interface OpenStore extends AsyncDisposable {
  connection: EtcdConnection
  /** With the prefix of the plane's keys. */
  spec: PlaneSpec
}

/**
 * Connects to etcd or kine of a plane, or to a shared etcd as the user of the plane.
 * @throws {VplaneError} as `hostedEtcd` and `openSharedEtcd` do, and `FAILED` when its keys are lost.
 */
export async function openStore(
  host: Host,
  {
    id,
    place,
    signal,
    spec,
  }: Pick<Plane, 'id' | 'spec'> & { place: PlacedName; signal: AbortSignal },
): Promise<OpenStore> {
  const facts = hostedSharedEtcd({ ...place, id, spec })
  if (facts === undefined) {
    const store = { ...place, component: storeOf(spec).component }
    const connection = await hostedEtcd(host, store, signal)
    return { connection, spec, [Symbol.asyncDispose]: () => Promise.resolve() }
  }
  await using stack = new AsyncDisposableStack()
  const { record } = await readPlane(host.api, { place, id }, signal)
  const files = await storedKeys(host.api, place, signal)
  const operation = { ui: silentUi, signal }
  const relay = stack.use(await openSharedEtcd(host, { place, record, facts, operation }))
  const connection = await relay.as(credentialsIn(files))
  const owned = stack.move()
  return {
    connection,
    spec: { ...spec, etcd: { ...spec.etcd, prefix: facts.prefix } },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
