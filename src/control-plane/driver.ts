import type { Ui } from '../shared/ui.ts'
import type {
  ClientCredential,
  ComponentName,
  DriverName,
  Endpoint,
  Identity,
  Plane,
  PlaneReference,
  PlaneStatus,
} from './plane.ts'
import type { PlaneSpec, UserSpec } from './spec.ts'

/** What every longer operation gets: somebody to tell, and a way to be stopped. */
export interface Operation {
  ui: Ui
  signal: AbortSignal
  /** How long to wait for components, in milliseconds; getting binaries does not count. @default 300_000 */
  timeoutMs?: number
}

/** How a plane is put into a host namespace; only with the `kubernetes` driver. */
export interface HostRequest {
  /** @default the namespace of the host context */
  namespace?: string | undefined
  /** Make the namespace when it is missing; it goes with the plane. @default true */
  createNamespace?: boolean
  /** Begin without looking whether the host takes it. @default false */
  skipPreflight?: boolean
  /** Folder whose templates replace or add to vplane's own. */
  templates?: string | undefined
  /** Take over the data that a `delete --keep-data` left, without a question. @default false */
  adopt?: boolean
}

export interface CreateRequest {
  name: string
  userSpec: UserSpec
  spec: PlaneSpec
  /** Only with the `kubernetes` driver. */
  host?: HostRequest
  /** Folder with binaries to run instead of downloaded or built ones; only with the `local` driver. */
  binDir?: string
  /** The plane goes when this process does: for `run` and the library. @default nobody owns it */
  ownerProcessId?: number
  /** Whether the caller will wait for the API: what depends on it is then started when it answers. */
  wait: boolean
}

/** A plane whose stored state cannot be read; it can be listed and deleted, nothing else. */
export interface UnreadablePlane extends PlaneReference {
  reason: string
  /** It was deleted and its data kept: create makes it again of that. @default false */
  isKept?: boolean
}

/** Which planes are looked for, and how long. */
export interface LookupScope {
  /** Only those in this host namespace. @default every namespace that the user may read */
  namespace?: string | undefined
  /** Whoever asked does not wait any longer. */
  signal?: AbortSignal | undefined
  /** What the user may not look at counts as not there: somebody else will say so. @default it is an error */
  isBlindFine?: boolean | undefined
  /** Told when not all could be looked at, such as one namespace alone. @default nobody is */
  ui?: Pick<Ui, 'note'> | undefined
}

export interface EndpointOptions {
  /** Something outside of this process will use it, such as a context: it stays when the process ends. */
  lasting: boolean
  /** Where the API is, said by the user: `https://plane.example:443`. Nothing is looked for, no tunnel is made. */
  server?: string | undefined
  /** Port of the tunnel on this machine; only with the `kubernetes` driver. @default the recorded one, or a free one */
  localPort?: number | undefined
  /** Address that the tunnel listens on; only with the `kubernetes` driver. @default 127.0.0.1 */
  address?: string | undefined
  /**
   * The tunnel ends when it was not used for so long, in milliseconds; only with the `kubernetes` driver.
   * @default the recorded time, or 30 minutes
   */
  idleTimeoutMs?: number | undefined
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
  component: ComponentName
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

  /** Stops all components in reverse order, keeps the data, and records that the plane is to rest. */
  pause(plane: Plane, operation: Operation): Promise<void>

  /** Stops and removes everything of the plane, looks whether it is gone, and returns what is not. */
  remove(
    plane: Plane | UnreadablePlane,
    operation: Operation,
    options?: RemoveOptions,
  ): Promise<Leftover[]>

  /** Whether every component lives, in a millisecond or two: a cheap look that says nothing about health. */
  isRunning(plane: Plane): Promise<boolean>

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
   * @returns what keeps components from running for the time being, in one line; undefined while all are well or on their
   * way.
   * @throws {VplaneError} `COMPONENT_FAILED` with the last lines of the component's log.
   */
  checkComponents(plane: Plane): Promise<string | undefined>

  /** The output of one component, in chunks as they come. */
  logs(plane: Plane, request: LogRequest, signal: AbortSignal): AsyncIterable<string>
}

/** Tells a plane that can be worked with from one that can only be removed. */
export function isReadable(plane: Plane | UnreadablePlane): plane is Plane {
  return 'spec' in plane
}
