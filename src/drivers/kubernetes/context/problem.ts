import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import type { CommandPlace } from './kubectl-hint.ts'
import type { PlacedName } from './object-names.ts'
import type { Hint } from '../../../shared/hint.ts'

/** Why an object of a plane does not run. */
export interface Problem {
  /** The name of the state on the host, such as `ImagePullBackOff`. */
  state: string
  /** One line. */
  reason: string
  hints: readonly Hint[]
  /** Whether it needs an action of the user. */
  final: boolean
  /** Its log may have the reason. */
  crash?: Crash
  log?: string[]
  /** Path of a missing object that the pod needs; once it exists, the host tries again. */
  waitsFor?: string | undefined
  /** Whether the host refused a pod; once it would accept one, it tries again. */
  isRefused?: boolean
  /** Claim of a volume that no suitable node can use: its own node may not exist any more. */
  boundBy?: string | undefined
  /** Since when no node fits a pod, in milliseconds since the epoch: an autoscaler needs a moment to add nodes. */
  unfitSinceMs?: number | undefined
  /** Whether nodes have taints that the host does not name: new nodes have some for a while. */
  isTainted?: boolean
  /** Whether nodes have too little capacity left: pods that are about to end free some. */
  isCrowded?: boolean
  /** A pod that the kubelet starts again only later, although what it ended for is ready now. */
  delayed?: DelayedPod | undefined
}

export interface DelayedPod {
  name: string
  uid: string
}

/** Why a component of a plane does not run, or not all of its pods. */
export interface ComponentProblem extends Pick<
  Problem,
  'delayed' | 'final' | 'hints' | 'log' | 'reason' | 'state'
> {
  component: AnyComponentName
  /** Kind and name of the object with the problem: `Pod "vplane-dev-etcd-0"`. */
  object: string
}

export interface Crash {
  container: string
  /** How often it has ended in short succession. */
  times: number
  /** Whether it was killed, so that its last lines are not the reason. */
  isKilled: boolean
  /** Whether the kubelet killed it because its probe failed. */
  isProbed: boolean
  /** In milliseconds since the epoch; undefined when the host does not report it. */
  startedAtMs?: number | undefined
}

export type DiagnosedPlace = PlacedName & CommandPlace

export interface ProblemContext extends DiagnosedPlace {
  component: AnyComponentName
}
