import type { LostVersion } from '../../../control-plane/lost-versions.ts'
import type { Plane } from '../../../control-plane/plane.ts'
import type { PlaneEtcd, StaleObjects } from '../../../control-plane/stale-objects.ts'
import type { KubernetesContext } from '../context.ts'
import { toPlace } from '../to-place.ts'

/** What is looked up in etcd of planes in a host cluster. */
export class HostPlaneEtcd implements PlaneEtcd {
  readonly #context: Pick<KubernetesContext, 'host'>

  constructor(context: Pick<KubernetesContext, 'host'>) {
    this.#context = context
  }

  async staleObjects(
    plane: Plane,
    lost: readonly LostVersion[],
    signal: AbortSignal,
  ): Promise<StaleObjects[]> {
    const { hostedEtcd } = await import('./hosted-etcd.ts')
    const { readStaleObjects } = await import('../../../etcd/read-stale-objects.ts')
    const connection = await hostedEtcd(await this.#context.host(), toPlace(plane).place, signal)
    return await readStaleObjects(connection, { lost, spec: plane.spec, signal })
  }
}
