import type { DataFingerprint } from '../plane/data-fingerprint.ts'
import type { RecordedPlane } from '../plane/recorded-plane.ts'

/** A plane that its driver holds, as moves see it. Every method can be called again after an interruption. */
export interface MovablePlane {
  /** As it is stored now. */
  readonly record: RecordedPlane & { desired: string }
  /** Records the step that is about to start, with what is true from then on. */
  step(step: string, changes?: Partial<MoveFields>): Promise<void>
  /** Removes the certificates of kube-apiserver for etcd: without them no client can start it. */
  removeEtcdClient(): Promise<void>
  createEtcdClient(): Promise<void>
  /** Starts etcd, and returns when it can be read. @throws {VplaneError} `COMPONENT_FAILED`, `TIMED_OUT`. */
  startEtcd(): Promise<void>
  /** Stops all components except etcd, and returns when they are gone. */
  stopOthers(): Promise<void>
  /** When no other component runs. */
  stopEtcd(): Promise<void>
  /** Stops what does not run on a paused plane, and starts what does. */
  pause(): Promise<void>
  /** Starts all components, without waiting for the API. */
  start(): Promise<void>
  fingerprint(): Promise<DataFingerprint>
}

/** The fields of a record that moves change. */
interface MoveFields {
  desired: 'running' | 'paused'
  idleSince: undefined
  movingTo: RecordedPlane['movingTo']
  restoring: { former: string; movingFrom: string }
}
