import type { Operation } from '../driver/operation.ts'
import type { DeclaredSpec } from './control-plane-object.ts'

export interface OperatorSettings {
  /** Where the operator runs. */
  namespace: string
  /** Whether it creates planes in all namespaces, or only in its own. */
  scope: 'cluster' | 'namespace'
  /** Number of pods, of which one works and the others wait. */
  replicas: number
  /** With Node.js. @default that of keepers and syncers */
  image?: string | undefined
  pullSecrets?: readonly string[] | undefined
}

/** An operator as it is. */
export interface InstalledOperator extends OperatorSettings {
  /** The version of vplane that installed it. */
  version: string
  readyReplicas: number
  /** The Helm release that has it. @default vplane installed it */
  helmRelease?: string
  /** The pod that works. @default none does */
  leader?: string
}

/** A ControlPlane: the declaration of a plane of the same name and namespace. */
export interface Declaration {
  name: string
  namespace: string
  uid: string
  /** The version of its spec, counted by the host. */
  generation: number
  /** Whether its condition Ready is true. */
  isReady: boolean
}

/** A field of a ControlPlane's spec. */
export interface ChangedField {
  path: readonly string[]
  /** Undefined to leave it out. */
  value: unknown
}

/** What the status of a ControlPlane says. */
export interface DeclaredState {
  /** The generation of the spec that it is about. */
  observedGeneration: number
  isProgressing: boolean
  /** What the operator does, in words; empty when it does nothing. */
  work: string
  /** Why the plane is not as wanted. @default nothing prevents it */
  failure?: string
}

/** The operators and ControlPlanes of a host cluster. */
export interface Operators {
  /** The operator in a namespace. */
  read(namespace: string, signal: AbortSignal): Promise<InstalledOperator | undefined>
  /**
   * Installs an operator with its CRDs, or brings one to this version and these settings, and waits until it runs.
   * @throws {VplaneError} the refusal of the host, `TIMED_OUT` with what its pods wait for, `CONFLICT` when Helm has
   * installed it or another operator creates planes there.
   */
  install(settings: OperatorSettings, operation: Operation): Promise<void>
  /** Ends the operator's pods, and waits until they have ended. */
  stop(operator: Pick<OperatorSettings, 'namespace'>, operation: Operation): Promise<void>
  /** Deletes everything of an operator but its namespace and the CRDs. */
  remove(operator: OperatorSettings, operation: Operation): Promise<void>

  /** Whether an operator creates planes in a namespace; undefined when the user may not see operators. */
  isWatched(namespace: string, signal: AbortSignal): Promise<boolean | undefined>
  /** All ControlPlanes, or those of one namespace; none without the CRD. */
  declarations(namespace: string | undefined, signal: AbortSignal): Promise<Declaration[]>
  /**
   * Declares a plane, or returns the ControlPlane of its name.
   * @throws {VplaneError} `NOT_FOUND` without the CRD, or without the namespace unless that may be created.
   */
  declare(
    plane: { name: string; namespace: string; createNamespace?: boolean },
    spec: DeclaredSpec,
    signal: AbortSignal,
  ): Promise<Declaration>
  /**
   * Changes fields of a ControlPlane, and returns its generation.
   * @throws {VplaneError} `CONFLICT` naming the fields that others manage, `NOT_FOUND`.
   */
  amend(
    plane: { name: string; namespace: string },
    fields: readonly ChangedField[],
    signal: AbortSignal,
  ): Promise<number>
  /** @throws {VplaneError} `NOT_FOUND`. */
  observe(plane: { name: string; namespace: string }, signal: AbortSignal): Promise<DeclaredState>
  /** Deletes a ControlPlane, whose plane stays when it is released. */
  withdraw(declaration: Declaration, signal: AbortSignal): Promise<void>
  /** Lets a ControlPlane be deleted without the operator. */
  free(declaration: Declaration, signal: AbortSignal): Promise<void>
}
