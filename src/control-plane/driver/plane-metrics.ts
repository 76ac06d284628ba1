import type { EtcdFigures } from '../status/plane-figures.ts'
import type { AnyComponentName, Plane } from '../plane/plane.ts'

/** What a driver measures of its planes. */
export interface PlaneMetrics {
  /**
   * How the members of etcd work; one that does not run or answer is a figure, and no failure.
   *
   * @throws {VplaneError} `UNREACHABLE` when the host cluster cannot be asked.
   */
  etcd(plane: Plane, signal: AbortSignal): Promise<EtcdFigures>

  /**
   * What a component says of its own work, in the text format of Prometheus; of several, one that is ready.
   *
   * @throws {VplaneError} `FAILED` when none runs, `UNREACHABLE` when it cannot be asked.
   */
  ofComponent(plane: Plane, component: MeasuredComponent, signal: AbortSignal): Promise<string>
}

/** The components that a driver has its own way to: that to kube-apiserver is the plane's API. */
export type MeasuredComponent = Exclude<AnyComponentName, 'kube-apiserver'>
