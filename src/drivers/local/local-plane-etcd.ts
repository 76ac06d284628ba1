import type { LostVersion } from '../../control-plane/spec/lost-versions.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import type { EtcdOperations, StaleObjects } from '../../control-plane/driver/etcd-operations.ts'
import { VplaneError } from '../../shared/errors.ts'
import { runningComponents } from './components/running-components.ts'
import type { PlaneContext } from './components/start-context.ts'
import { localEtcd } from './components/local-etcd.ts'

/** Reads and repairs etcd of planes on this machine. */
export class LocalPlaneEtcd implements EtcdOperations {
  readonly #context: PlaneContext

  constructor(context: PlaneContext) {
    this.#context = context
  }

  async staleObjects(
    { name, spec }: Plane,
    lost: readonly LostVersion[],
    signal: AbortSignal,
  ): Promise<StaleObjects[]> {
    const { readStaleObjects } = await import('../../etcd/data/read-stale-objects.ts')
    return await readStaleObjects(await localEtcd(this.#context, name), { lost, spec, signal })
  }

  async canReturnTo({ name }: Plane, version: string, signal: AbortSignal): Promise<boolean> {
    const { canRead, clusterVersion } = await import('../../etcd/status/cluster-version.ts')
    const { store, table } = this.#context
    if (!runningComponents(store.folder(name), table).has('etcd')) {
      return false
    }
    const current = await clusterVersion(await localEtcd(this.#context, name), signal)
    return current !== undefined && canRead(version, current)
  }

  async regainMajority({ name }: Plane): Promise<never> {
    throw new VplaneError('FAILED', `etcd of "${name}" has one member, which is its majority`)
  }

  async settle(): Promise<void> {
    // A start has recorded it.
  }
}
