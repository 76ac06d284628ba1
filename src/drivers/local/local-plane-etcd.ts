import type { LostVersion } from '../../control-plane/spec/lost-versions.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import type { PlaneEtcd, StaleObjects } from '../../control-plane/driver/stale-objects.ts'
import { VplaneError } from '../../shared/errors.ts'
import { runningComponents } from './components/running-components.ts'
import type { StartContext } from './components/start-context.ts'
import { localEtcd } from './components/local-etcd.ts'

/** What is looked up and done in etcd of planes on this machine. */
export class LocalPlaneEtcd implements PlaneEtcd {
  readonly #context: Pick<StartContext, 'store' | 'table'>

  constructor(context: Pick<StartContext, 'store' | 'table'>) {
    this.#context = context
  }

  async staleObjects(
    { name, spec }: Plane,
    lost: readonly LostVersion[],
    signal: AbortSignal,
  ): Promise<StaleObjects[]> {
    const { readStaleObjects } = await import('../../etcd/data/read-stale-objects.ts')
    const { store, table } = this.#context
    const connection = await localEtcd(name, { folder: store.folder(name), table })
    return await readStaleObjects(connection, { lost, spec, signal })
  }

  async canReturnTo({ name }: Plane, version: string, signal: AbortSignal): Promise<boolean> {
    const { canRead, clusterVersion } = await import('../../etcd/status/cluster-version.ts')
    const { store, table } = this.#context
    const folder = store.folder(name)
    if (!runningComponents(folder, table).has('etcd')) {
      return false
    }
    const said = await clusterVersion(await localEtcd(name, { folder, table }), signal)
    return said !== undefined && canRead(version, said)
  }

  async regainMajority({ name }: Plane): Promise<never> {
    throw new VplaneError('FAILED', `etcd of "${name}" has one member, which is its majority`)
  }

  async settle(): Promise<void> {
    // Starting it has written that down.
  }
}
