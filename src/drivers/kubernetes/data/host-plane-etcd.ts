import type { Operation } from '../../../control-plane/operation.ts'
import type { LostVersion } from '../../../control-plane/lost-versions.ts'
import type { Plane } from '../../../control-plane/plane.ts'
import type { PlaneEtcd, StaleObjects } from '../../../control-plane/stale-objects.ts'
import type { KubernetesContext } from '../context.ts'
import { toPlace } from '../to-place.ts'

type HostEtcdContext = Pick<KubernetesContext, 'diagnose' | 'host' | 'now'>

/** What is looked up and done in etcd of planes in a host cluster. */
export class HostPlaneEtcd implements PlaneEtcd {
  readonly #context: HostEtcdContext

  constructor(context: HostEtcdContext) {
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

  async canReturnTo(plane: Plane, version: string, signal: AbortSignal): Promise<boolean> {
    const { canReturn } = await import('./can-return.ts')
    return canReturn(await this.#context.host(), toPlace(plane).place, { version, signal })
  }

  async regainMajority(plane: Plane, operation: Operation): Promise<string> {
    const { regainMajority } = await import('../repair/regain-majority.ts')
    return regainMajority(this.#context, toPlace(plane), operation)
  }

  async settle(plane: Plane, operation: Operation): Promise<void> {
    const { settlePlane } = await import('../start/settle-plane.ts')
    await settlePlane(this.#context, toPlace(plane), operation)
  }
}
