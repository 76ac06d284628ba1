import type { EtcdFigures } from '../status/plane-figures.ts'
import type { AnyComponentName, Plane } from '../plane/plane.ts'

export interface PlaneMetrics {
  /** They include members that do not answer. @throws {VplaneError} `UNREACHABLE` when the host does not answer. */
  etcd(plane: Plane, signal: AbortSignal): Promise<EtcdFigures>

  /**
   * The metrics of one instance of a component, preferably a ready one, in the text format of Prometheus.
   * @throws {VplaneError} `FAILED` when no instance runs, `UNREACHABLE` when it does not answer.
   */
  ofComponent(plane: Plane, component: MeasuredComponent, signal: AbortSignal): Promise<string>
}

/** The components whose metrics a driver reads; those of kube-apiserver come from the plane's API, and kine has none. */
export type MeasuredComponent = Exclude<AnyComponentName, 'kine' | 'kube-apiserver'>
