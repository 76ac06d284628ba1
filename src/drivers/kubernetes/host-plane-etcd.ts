import type { Operation } from '../../control-plane/driver/operation.ts'
import type { LostVersion } from '../../control-plane/spec/lost-versions.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import type { PlaneEtcd, StaleObjects } from '../../control-plane/driver/stale-objects.ts'
import type { KubernetesContext } from './context/context.ts'
import { toPlace } from './context/to-place.ts'

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
    const { hostedEtcd } = await import('./etcd/hosted-etcd.ts')
    const { readStaleObjects } = await import('../../etcd/data/read-stale-objects.ts')
    const connection = await hostedEtcd(await this.#context.host(), toPlace(plane).place, signal)
    return await readStaleObjects(connection, { lost, spec: plane.spec, signal })
  }

  async canReturnTo(plane: Plane, version: string, signal: AbortSignal): Promise<boolean> {
    const { canReturn } = await import('./etcd/can-return.ts')
    return canReturn(await this.#context.host(), toPlace(plane).place, { version, signal })
  }

  async regainMajority(plane: Plane, operation: Operation): Promise<string> {
    const { regainMajority } = await import('./repair/regain-majority.ts')
    return regainMajority(this.#context, toPlace(plane), operation)
  }

  async settle(plane: Plane, operation: Operation): Promise<void> {
    const { settlePlane } = await import('./lifecycle/settle-plane.ts')
    await settlePlane(this.#context, toPlace(plane), operation)
  }
}
