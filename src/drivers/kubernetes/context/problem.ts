import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import type { PlacedName } from './object-names.ts'
import type { Hint } from '../../../shared/hint.ts'

/** Why something of a plane does not run. */
export interface Problem {
  /** The host's own word for it, such as `ImagePullBackOff`. */
  state: string
  /** In one line. */
  reason: string
  hints: readonly Hint[]
  /** It will not pass by itself. */
  final: boolean
  /** A container that has ended: its log may say more. */
  crash?: Crash
  /** The last lines of that log. */
  log?: string[]
  /** Path of an object that is needed and was not there; when it is there now, the host tries again. */
  waitsFor?: string
  /** The host refused a pod; when it would take one now, it tries again. */
  isRefused?: boolean
  /** Claim of a volume that the nodes which would take it cannot use: the node that can may be gone. */
  boundBy?: string
  /**
   * Since when no node takes a pod, in milliseconds since the epoch: where more nodes may come, whoever adds them needs a
   * moment to see it.
   */
  unfitSinceMs?: number | undefined
  /** Nodes are tainted, and the host does not say with what: those that come up are, for a while. */
  isTainted?: boolean
  /** Nodes have too little left: pods that are about to end leave more. */
  isCrowded?: boolean
}

/** Why a component of a plane does not run, or not in full. */
export interface ComponentProblem extends Omit<
  Problem,
  'boundBy' | 'crash' | 'waitsFor' | 'isCrowded' | 'isRefused' | 'isTainted' | 'unfitSinceMs'
> {
  component: AnyComponentName
  /** What has the problem, by kind and name: `Pod "vplane-dev-etcd-0"`. */
  object: string
}

/** The end of a container. */
export interface Crash {
  container: string
  /** How often it has ended, one soon after the other. */
  times: number
  /** The end was killing it, so that its last words are not the reason. */
  isKilled: boolean
  /** When the run began that has ended, in milliseconds since the epoch; undefined when the host does not say. */
  startedAtMs?: number | undefined
}

/** A plane in its host namespace, for the commands of hints. */
export interface DiagnosedPlace extends PlacedName {
  /** Context of the host cluster. */
  hostContext?: string | undefined
}

/** What a problem is about. */
export interface ProblemContext extends DiagnosedPlace {
  component: AnyComponentName
}
