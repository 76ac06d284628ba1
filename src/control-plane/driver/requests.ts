import type { PlaneSpec, UserSpec } from '../spec/spec.ts'

export interface CreateRequest {
  name: string
  userSpec: UserSpec
  spec: PlaneSpec
  /** The UID of the ControlPlane that declares it. @default none does */
  declaredBy?: string | undefined
  /** Create each component when the one before it is ready; only with the `kubernetes` driver. @default false */
  startsInOrder?: boolean | undefined
  /**
   * Create it paused: nothing of it runs until `start`. A plane that was created so and never started is started by a
   * request without it.
   * @default it runs
   */
  isPaused?: boolean | undefined
  /** Only with the `kubernetes` driver. */
  host?: HostPlacement
  /** Folder with binaries that replace downloaded or built ones; only with the `local` driver. */
  binDir?: string
  /** The plane is deleted when this process exits: for `run` and the library. @default no process owns it */
  ownerProcessId?: number
  /** Create it with these keys, generate missing ones, and leave it paused without data until `restore` starts it. */
  awaitsRestore?: {
    keys: Record<string, string>
    /** Id of the plane that is being moved here. @default no move */
    movingFrom?: string
  }
  /** Whether the caller will wait for the API: components that depend on it then start once it answers. */
  wait: boolean
}

/** Only with the `kubernetes` driver. */
export interface HostPlacement {
  /** @default the namespace of the host context */
  namespace?: string | undefined
  /** Create the namespace if it is missing; it is then deleted with the plane. @default true */
  createNamespace?: boolean
  /** Allow a plane that runs pods beside other workloads, whose Secrets its syncer can read. @default false */
  shareNamespace?: boolean
  /** Skip the check whether the host accepts the plane. @default false */
  skipPreflight?: boolean
  /** Folder with templates that replace vplane's own or are added to them. */
  templates?: string | undefined
  /** Adopt the data that `delete --keep-data` left, without confirmation. @default false */
  adopt?: boolean
  /** The same for all planes of one command that differ in their names alone. @default the host is asked for each plane */
  answers?: HostAnswers
}

/** What a host cluster has answered about planes that differ in their names alone: it is asked once for all of them. */
export interface HostAnswers {
  /** Whether it accepts such a plane. */
  accepts?: Promise<boolean>
  /** The names in each collection, by its path, before planes were created; undefined if the user may not list them. */
  names: Map<string, Promise<ReadonlySet<string> | undefined>>
  /** What it does with each such plane. */
  traits?: Promise<HostTraits>
  /** Whether it has the keeper that such planes want. */
  hasKeeper?: Promise<boolean>
}

export interface HostTraits {
  /** It chooses the ids of users in pods. */
  hostGivesIds: boolean
  /** The addresses of its nodes, if planes have ports there. */
  nodes: string[]
}

export interface PauseOptions {
  /** Only if the plane pauses itself. @default a user pauses it */
  idle?: IdlePause | undefined
}

/** How long an idle plane was unused, and whether it still is. */
export interface IdlePause {
  /** When it was last used. */
  since: Date
  /** Called once the plane is locked; a plane that was used meanwhile is not paused. */
  isStill: () => Promise<boolean>
  /** Called before the API ends, when what writes to it has ended. @default nothing */
  beforeApiEnds?: () => Promise<void>
}

export interface RestoreRequest {
  /** The path of a verified snapshot on this machine. */
  file: string
  /** How a user names it, to continue an interrupted restore. */
  from: string
  /** The latest etcd revision that clients of the plane may know; 0 if unknown. */
  revision: number
  /** Image with Node.js that receives the snapshot in a host cluster. @default the image in the spec of the plane */
  helperImage?: string | undefined
  /**
   * Returns when the data in etcd is verified, while only etcd runs. Then the plane has the new data, and can be
   * started by other operations. @default no verification
   */
  untilSound?: () => Promise<void>
  /** Returns when the plane serves the data of the snapshot. */
  untilAnswers: () => Promise<void>
  /** Keep the former data, of which no other copy exists; otherwise it is deleted once the plane answers. */
  keepFormer: boolean
}
