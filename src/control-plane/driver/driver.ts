import type { ArchivedFile } from '../../shared/files/tar.ts'
import type { Ui } from '../../shared/ui.ts'
import type { ChangePlan } from '../changes/change-plan.ts'
import type { SpecChange } from '../changes/changed-spec.ts'
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
import type { PlaneMetrics } from './plane-metrics.ts'
import type { Operation } from './operation.ts'
import type { PlaneMoves } from './plane-moves.ts'
import type { PlanePods } from './plane-pods.ts'
import type { Diagnosis } from './repair.ts'
import type { CreateRequest, PauseOptions, RestoreRequest } from './requests.ts'
import type { PlaneData } from './snapshot.ts'
import type { PlaneEtcd } from './stale-objects.ts'
import type { UnreadablePlane } from '../plane/unreadable-plane.ts'

/** Which planes are looked for, and how long. */
export interface LookupScope {
  /** Only those in this host namespace. @default every namespace that the user may read */
  namespace?: string | undefined
  /** Where else planes may be: asked for only when not all namespaces can be looked at. @default nowhere */
  likelyNamespaces?: (() => Promise<readonly string[]>) | undefined
  /** Whoever asked does not wait any longer. */
  signal?: AbortSignal | undefined
  /** What the user may not look at counts as not there: somebody else will say so. @default it is an error */
  isBlindFine?: boolean | undefined
  /** Told when not all could be looked at, such as one namespace alone. @default nobody is */
  ui?: Pick<Ui, 'note'> | undefined
}

export interface StatusOptions {
  /** Look up the events of the last hour too. @default false */
  events?: boolean
}

export interface RemoveOptions {
  /** Keep volumes and keys, so that a plane of this name can be made of them again; only with the `kubernetes` driver. */
  keepData: boolean
}

export interface LogRequest {
  component: AnyComponentName
  /** Lines from the end; all when left out. */
  tail?: number
  follow: boolean
}

/** What delete could not remove, or kept on purpose. */
export interface Leftover {
  what: string
  why: string
  /** It was left on purpose: that is no failure. @default false */
  isKept?: boolean
}

/**
 * One way to run planes. Use cases know drivers by this interface alone; one contract suite
 * (`test/support/driver-contract.ts`) runs against every implementation.
 *
 * All methods are level-based: they look at what is and do what is missing, so that each may be called again after a
 * crash at any point. Those that change a plane hold its lock meanwhile; a second caller waits for the first.
 */
export interface Driver {
  readonly name: DriverName
  /** What its planes prove with who they are. */
  readonly certificates: PlaneCertificates
  /** What no API of them tells. */
  readonly etcd: PlaneEtcd
  /** How they leave for another place. */
  readonly moves: PlaneMoves
  /** What is known of the pods that they run. */
  readonly pods: PlanePods
  /** How their components work, in figures. */
  readonly metrics: PlaneMetrics

  /**
   * Every plane of this driver that the user may see. Never fails because of one plane.
   *
   * @throws {VplaneError} what keeps all of them from being seen, such as `UNREACHABLE`.
   */
  list(scope?: LookupScope): Promise<Array<Plane | UnreadablePlane>>

  /** The stored planes called `name`: none, one, or several in different namespaces. */
  find(name: string, scope?: LookupScope): Promise<Array<Plane | UnreadablePlane>>

  /**
   * Makes a plane and starts all of its components, without waiting for the API. With a plane of this name there, it
   * goes on with that one: unfinished steps are done, a finished plane is left as it is.
   *
   * @returns the stored plane: the one made before, with its own spec, when the name was taken.
   * @throws {VplaneError} `COMPONENT_FAILED` when a component cannot start, `FAILED` when binaries or disk are missing.
   */
  create(request: CreateRequest, operation: Operation): Promise<Plane>

  /**
   * Starts whatever of the plane does not run, and records that it is to run. Does not wait for the API.
   *
   * @throws {VplaneError} `COMPONENT_FAILED` when a component cannot start.
   */
  start(plane: Plane, operation: Operation): Promise<void>

  /**
   * What `change` would do. It looks at what there is, so that it also says what a change that was cut off left to do;
   * nothing is touched.
   *
   * @throws {VplaneError} `CONFLICT` as `change` does.
   */
  plan(plane: Plane, change: SpecChange, signal: AbortSignal): Promise<ChangePlan>

  /**
   * Stores another spec and makes the plane so, one component after the other in the order of their start, each waited
   * for. A component that is as it is to be is left alone. Of a plane that rests, what runs changes when it starts.
   *
   * @returns the plane as it is stored.
   * @throws {VplaneError} `COMPONENT_FAILED` when a component cannot run so, `TIMED_OUT`, `FAILED` when something is in
   * the way. What was done stays; the same call goes on. `CONFLICT` when somebody else has changed the plane since the
   * change was made up: nothing is done then.
   */
  change(plane: Plane, change: SpecChange, operation: Operation): Promise<Plane>

  /**
   * Stops all components in reverse order, keeps the data, and records that the plane is to rest. Of a plane that pauses
   * itself, and is not to run or not finished, nothing is touched.
   */
  pause(plane: Plane, operation: Operation, options?: PauseOptions): Promise<void>

  /** Stops and removes everything of the plane, looks whether it is gone, and returns what is not. */
  remove(
    plane: Plane | UnreadablePlane,
    operation: Operation,
    options?: RemoveOptions,
  ): Promise<Leftover[]>

  /**
   * Whether components live, in a millisecond or two: a cheap look that says nothing about health.
   *
   * @param components those that are meant. @default the ones that every plane has, which serve its API
   */
  isRunning(plane: Plane, components?: readonly AnyComponentName[]): Promise<boolean>

  /**
   * How the plane is now. Never throws for a plane that is broken: that is a status.
   *
   * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when it was removed meanwhile.
   */
  status(plane: Plane, options?: StatusOptions): Promise<PlaneStatus>

  /**
   * Where the plane's API is from this machine; a way there is made when there is none.
   *
   * @param options what the way is for. @default one that lives as long as this process
   */
  endpoint(plane: Plane, options?: EndpointOptions): Promise<Endpoint>

  /** Signs a client certificate with the plane's CA. */
  issueCredential(plane: Plane, identity: Identity, lifetimeMs: number): Promise<ClientCredential>

  /**
   * Fails as soon as a component of the plane has ended or can never start. Called while waiting for the API.
   *
   * @param components those that are meant. @default the ones that every plane has, which serve its API
   * @returns what keeps components from running for the time being, in one line; undefined while all are well or on their
   * way.
   * @throws {VplaneError} `COMPONENT_FAILED` with the last lines of the component's log.
   */
  checkComponents(
    plane: Plane,
    components?: readonly AnyComponentName[],
  ): Promise<string | undefined>

  /**
   * What is stored of the plane and how its components run, for those who look for a fault: without keys, certificates
   * and what Secrets hold.
   */
  debugFiles(plane: Plane, signal: AbortSignal): Promise<ArchivedFile[]>

  /** The keys and CA certificates by which others know the plane, by the names of their files. */
  keys(plane: Plane, signal: AbortSignal): Promise<Record<string, string>>

  /** What is wrong with a plane that is to run, and what puts it right; nothing is touched. */
  diagnose(plane: Plane, signal: AbortSignal): Promise<Diagnosis>

  /**
   * Checks again what is wrong, and does all that costs no data: `start` to `free-space`. Does not wait for the API.
   *
   * @throws {VplaneError} `COMPONENT_FAILED`, `TIMED_OUT`, `FAILED` when etcd stays full. The same call goes on.
   */
  repair(plane: Plane, operation: Operation): Promise<void>

  /**
   * Begins a snapshot of the data of a plane whose etcd runs; the plane goes on working meanwhile.
   *
   * @param instance a member of etcd that has no majority. @default one that is ready
   * @throws {VplaneError} `FAILED` when no etcd of it runs, `UNREACHABLE` when it cannot be asked; the bytes throw too.
   */
  snapshot(plane: Plane, signal: AbortSignal, instance?: string): Promise<PlaneData>

  /**
   * Puts the data of a snapshot in the place of a plane's own, and starts the plane of it. One that was cut off, or did
   * not come to answer, goes on when it is called again, and until then the plane cannot be started another way.
   *
   * @throws {VplaneError} `FAILED` when it is no snapshot, `COMPONENT_FAILED` when the plane does not start of it.
   */
  restore(plane: Plane, request: RestoreRequest, operation: Operation): Promise<void>

  /** The output of one component, in chunks as they come. */
  logs(plane: Plane, request: LogRequest, signal: AbortSignal): AsyncIterable<string>
}
