import type { PlaneSpec, UserSpec } from '../spec/spec.ts'

/** What a plane is to be, and where. */
export interface CreateRequest {
  name: string
  userSpec: UserSpec
  spec: PlaneSpec
  /** Only with the `kubernetes` driver. */
  host?: HostPlacement
  /** Folder with binaries to run instead of downloaded or built ones; only with the `local` driver. */
  binDir?: string
  /** The plane goes when this process does: for `run` and the library. @default nobody owns it */
  ownerProcessId?: number
  /** Make it of these keys, as far as they go, and leave it at rest without data: `restore` gives it some and starts it. */
  atRest?: {
    keys: Record<string, string>
    /** Id of the plane elsewhere that is moved here. @default none is */
    movingFrom?: string
  }
  /** Whether the caller will wait for the API: what depends on it is then started when it answers. */
  wait: boolean
}

/** How a plane is put into a host namespace; only with the `kubernetes` driver. */
export interface HostPlacement {
  /** @default the namespace of the host context */
  namespace?: string | undefined
  /** Make the namespace when it is missing; it goes with the plane. @default true */
  createNamespace?: boolean
  /** A plane that runs pods may be there beside others, though its syncer reads their Secrets. @default false */
  shareNamespace?: boolean
  /** Begin without looking whether the host takes it. @default false */
  skipPreflight?: boolean
  /** Folder whose templates replace or add to vplane's own. */
  templates?: string | undefined
  /** Take over the data that a `delete --keep-data` left, without a question. @default false */
  adopt?: boolean
}

/** Why a plane is paused. */
export interface PauseOptions {
  /** It pauses itself, as nobody uses it. @default somebody pauses it */
  idle?: IdlePause | undefined
}

/** What is known of a plane that is to pause itself. */
export interface IdlePause {
  /** Since when nobody has used it. */
  since: Date
  /** Asked once the plane is held; one that was used meanwhile is left as it is. */
  isStill: () => Promise<boolean>
}

/** The data that a plane is to have, and what is looked at before it counts. */
export interface RestoreRequest {
  /** The snapshot, a file of this machine that was verified. */
  file: string
  /** The latest revision of etcd that clients of the plane may have seen; 0 when nobody knows. */
  revision: number
  /** Image with Node.js that takes it in a host cluster. @default what the spec of the plane says */
  helperImage?: string | undefined
  /**
   * Returns when what etcd stores is what it is to be: called while nothing else of the plane runs. From then on the new
   * data is the plane's own, and the plane can be started another way. @default nobody looks
   */
  untilSound?: () => Promise<void>
  /** Returns when the plane that was started of the snapshot can be used. */
  untilAnswers: () => Promise<void>
  /** Keep the data that the plane had before, as nothing else holds it; otherwise it goes when the plane answers. */
  keepFormer: boolean
}
