import type { ArchivedFile } from '../../shared/files/tar.ts'
import type { Ui } from '../../shared/ui.ts'
import type { ChangePlan, SpecChange } from '../changes/changed-spec.ts'
import type { EndpointOptions } from './endpoint-options.ts'
import type {
  AnyComponentName,
  ClientCredential,
  Endpoint,
  Identity,
  Plane,
} from '../plane/plane.ts'
import type { DriverName } from '../spec/driver-name.ts'
import type { PlaneStatus } from '../status/plane-status.ts'
import type { PlaneCertificates } from './plane-certificates.ts'
import type { PlaneCredentials } from './plane-credentials.ts'
import type { PlaneMetrics } from './plane-metrics.ts'
import type { Operation } from './operation.ts'
import type { PlaneMoves } from './plane-moves.ts'
import type { PlanePods } from './plane-pods.ts'
import type { PlaneTools } from './plane-tools.ts'
import type { Diagnosis, PlaneFault } from './repair.ts'
import type { CreateRequest, PauseOptions, RestoreRequest } from './requests.ts'
import type { PlaneData, WantedSnapshot } from './snapshot.ts'
import type { SwitchOperation } from './sync-steps.ts'
import type { EtcdOperations } from './etcd-operations.ts'
import type { UnreadablePlane } from '../plane/unreadable-plane.ts'

export interface LookupScope {
  /** Only planes in this host namespace. @default every namespace that the user may read */
  namespace?: string | undefined
  /** Returns namespaces to search if the user may not list planes in all namespaces. @default none */
  likelyNamespaces?: (() => Promise<readonly string[]>) | undefined
  signal?: AbortSignal | undefined
  /** Planes that the user may not read count as missing; the caller checks permissions later. @default they are an error */
  ignoresForbidden?: boolean | undefined
  /** Receives a note if only some namespaces could be searched. @default no note */
  ui?: Pick<Ui, 'note'> | undefined
}

export interface StatusOptions {
  /** Include the events of the last hour, and what else takes more requests. @default false */
  events?: boolean
}

export interface RemoveOptions {
  /** Keep volumes and keys, so that `create` can adopt them; only with the `kubernetes` driver. */
  keepData: boolean
  /** Leave its data at a server. @default it is deleted */
  leaveData?: boolean
  /** Called when nothing refuses the deletion any more, and the plane can still be found. @default nothing */
  whenCertain?: () => Promise<void>
}

export interface LogRequest {
  component: AnyComponentName
  /** Number of last lines. @default all */
  tail?: number | undefined
  /** Only lines of the last milliseconds. @default all */
  sinceMs?: number | undefined
  follow: boolean
}

/** Whole lines of the log of one component. */
export interface LogLines {
  text: string
  /** The pod that wrote them; only with the `kubernetes` driver. */
  pod?: string
  /** Whether the component has several pods. @default false */
  isOneOfSeveral?: boolean
}

/** An object that a deletion could not remove, or kept on purpose. */
export interface Leftover {
  what: string
  why: string
  /** It was kept on purpose, which is not a failure. @default false */
  isKept?: boolean
}

/**
 * Runs planes. Use cases depend on this interface alone; one contract suite (`test/support/contracts`) runs against
 * every implementation.
 *
 * All methods are level-based: they observe the current state and do what is missing, so that each can be called again
 * after a crash at any point. Methods that change a plane hold its lock; a second caller waits for the first.
 */
export interface Driver {
  readonly name: DriverName
  readonly certificates: PlaneCertificates
  readonly etcd: EtcdOperations
  readonly moves: PlaneMoves
  readonly pods: PlanePods
  readonly metrics: PlaneMetrics
  /** The Secrets with credentials for planes; only with the `kubernetes` driver. */
  readonly credentials?: PlaneCredentials | undefined
  /** The programs that they need on this machine, if any. */
  readonly tools?: PlaneTools | undefined

  /** Every plane that the user may read, also a broken one. @throws {VplaneError} when none can be listed. */
  list(scope?: LookupScope): Promise<Array<Plane | UnreadablePlane>>

  find(name: string, scope?: LookupScope): Promise<Array<Plane | UnreadablePlane>>

  /**
   * Creates a plane and starts all of its components, without waiting for the API. If a plane of this name exists, it
   * completes the missing steps of that plane, with the spec of that plane, and returns it.
   * @throws {VplaneError} `COMPONENT_FAILED` when a component cannot start, `FAILED` when binaries or disk space are
   * missing.
   */
  create(request: CreateRequest, operation: Operation): Promise<Plane>

  /**
   * Starts all components that do not run, and records that the plane is to run. Continues an interrupted creation or
   * change, but a switch of `sync` only with its steps. Does not wait for the API.
   * @throws {VplaneError} `COMPONENT_FAILED` when a component cannot start, and as `change` does when it continues one.
   */
  start(plane: Plane, operation: SwitchOperation): Promise<void>

  /** The steps of `change`, or the rest of an interrupted one. @throws {VplaneError} `CONFLICT`. */
  plan(plane: Plane, change: SpecChange, signal: AbortSignal): Promise<ChangePlan>

  /**
   * Stores another spec and applies it to one component after the other in their start order, waiting for each.
   * Components that already match are skipped. The components of a paused plane change when it starts. Only a plane that
   * runs begins or ceases to run pods, with `steps`.
   * @throws {VplaneError} `COMPONENT_FAILED` when a component cannot run with the spec, `TIMED_OUT`, `FAILED`:
   * completed steps remain, and the same call continues. `CONFLICT` when the plane was changed since the change was
   * computed: nothing changes then.
   */
  change(plane: Plane, change: SpecChange, operation: SwitchOperation): Promise<Plane>

  /**
   * Stops all components in reverse order, keeps the data, and records that the plane is paused. If the plane pauses
   * itself (`options.idle`) and is already paused or incomplete, nothing changes.
   */
  pause(plane: Plane, operation: Operation, options?: PauseOptions): Promise<void>

  /** Stops the plane, deletes everything that belongs to it, and returns what remains. */
  remove(
    plane: Plane | UnreadablePlane,
    operation: Operation,
    options?: RemoveOptions,
  ): Promise<Leftover[]>

  /** Whether components run, by default those of the API: a check of a millisecond or two that ignores their health. */
  isRunning(plane: Plane, components?: readonly AnyComponentName[]): Promise<boolean>

  /** A broken plane is a status. @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` if deleted. */
  status(plane: Plane, options?: StatusOptions): Promise<PlaneStatus>

  /** The API's address from this machine, by default for as long as this process runs; by a tunnel if necessary. */
  endpoint(plane: Plane, options?: EndpointOptions): Promise<Endpoint>

  /** Signs a client certificate with the plane's CA. */
  issueCredential(plane: Plane, identity: Identity, lifetimeMs: number): Promise<ClientCredential>

  /**
   * Fails if a component, by default of those that serve the API, has exited or can never start. Called while waiting
   * for the API. Returns one line about what delays components, or undefined while all of them run or start.
   * @throws {VplaneError} `COMPONENT_FAILED` with the last lines of the component's log.
   */
  checkComponents(
    plane: Plane,
    components?: readonly AnyComponentName[],
  ): Promise<string | undefined>

  /** The stored state for debugging, without keys, certificates and values of Secrets. */
  debugFiles(plane: Plane, signal: AbortSignal): Promise<ArchivedFile[]>

  /** The plane's keys and CA certificates that others trust, by the names of their files. */
  keys(plane: Plane, signal: AbortSignal): Promise<Record<string, string>>

  /** The faults of a plane that is to run, and their remedies. Changes nothing. */
  diagnose(plane: Plane, signal: AbortSignal): Promise<Diagnosis>

  /**
   * Diagnoses the plane again, and applies all remedies that lose no data: `start` to `free-space`. Does not wait for the
   * API. When it finds a member to replace that is not among the faults that were `shown`, it changes nothing and returns
   * the new diagnosis.
   * @throws {VplaneError} `COMPONENT_FAILED`, `TIMED_OUT`, `FAILED` when etcd stays full. The same call continues.
   */
  repair(
    plane: Plane,
    operation: Operation,
    shown: readonly PlaneFault[],
  ): Promise<Diagnosis | undefined>

  /**
   * Starts a snapshot of the data of a plane whose store runs, of etcd from a ready member, or from `instance` without a
   * majority. The plane keeps serving.
   * @throws {VplaneError} `FAILED` when no etcd member runs, `UNREACHABLE` when none answers; reading the bytes can
   * throw too.
   */
  snapshot(plane: Plane, signal: AbortSignal, wanted?: WantedSnapshot): Promise<PlaneData>

  /**
   * Replaces a plane's data with a snapshot, and starts the plane. After an interruption or a failed start, another call
   * continues; until then nothing else can start the plane.
   * @throws {VplaneError} `FAILED` when the file is not a snapshot, `COMPONENT_FAILED` when the plane does not start with it.
   */
  restore(plane: Plane, request: RestoreRequest, operation: Operation): Promise<void>

  /** The output of one component, as it comes. */
  logs(plane: Plane, request: LogRequest, signal: AbortSignal): AsyncIterable<LogLines>
}
