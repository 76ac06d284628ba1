import type { Plane } from '../../control-plane/plane/plane.ts'
import type { EtcdFigures } from '../../control-plane/status/plane-figures.ts'
import type { MeasuredComponent, PlaneMetrics } from '../../control-plane/driver/plane-metrics.ts'
import type { KubernetesContext } from './context/context.ts'
import { toPlace } from './context/to-place.ts'

/** What is measured of planes in a host cluster, through ports of their pods. */
export class HostMetrics implements PlaneMetrics {
  readonly #context: Pick<KubernetesContext, 'host'>

  constructor(context: Pick<KubernetesContext, 'host'>) {
    this.#context = context
  }

  async etcd(plane: Plane, signal: AbortSignal): Promise<EtcdFigures> {
    const { membersFigures } = await import('./metrics/members-figures.ts')
    return membersFigures(await this.#context.host(), toPlace(plane), signal)
  }

  async ofComponent(
    plane: Plane,
    component: MeasuredComponent,
    signal: AbortSignal,
  ): Promise<string> {
    const { componentMetrics } = await import('./metrics/component-metrics.ts')
    const { place } = toPlace(plane)
    return componentMetrics(await this.#context.host(), { place, component, signal })
  }
}
