import type { Plane } from '../../control-plane/plane/plane.ts'
import type { EtcdFigures } from '../../control-plane/status/plane-figures.ts'
import type { MeasuredComponent, PlaneMetrics } from '../../control-plane/driver/plane-metrics.ts'
import type { StartContext } from './components/start-context.ts'
import { currentRecord } from './store/current-record.ts'

type MetricsContext = Pick<StartContext, 'store' | 'table'>

/** What is measured of planes of this machine. */
export class LocalMetrics implements PlaneMetrics {
  readonly #context: MetricsContext

  constructor(context: MetricsContext) {
    this.#context = context
  }

  async etcd({ name }: Plane, signal: AbortSignal): Promise<EtcdFigures> {
    const { measureEtcd } = await import('./metrics/measure-etcd.ts')
    return measureEtcd(this.#context, name, signal)
  }

  async ofComponent(
    plane: Plane,
    component: MeasuredComponent,
    signal: AbortSignal,
  ): Promise<string> {
    const { componentMetrics } = await import('./metrics/component-metrics.ts')
    const record = await currentRecord(this.#context.store, plane)
    return componentMetrics(this.#context, { record, component, signal })
  }
}
