import type { PlaneSpec, UserSpec } from '../spec/spec.ts'

/** How a plane is put into a host namespace; only with the `kubernetes` driver. */
export interface HostRequest {
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

/** What a plane is to be, and where. */
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
  /** Make it of these keys, as far as they go, and leave it at rest without data: `restore` gives it some and starts it. */
  atRest?: {
    keys: Record<string, string>
    /** Id of the plane elsewhere that is moved here. @default none is */
    movingFrom?: string
  }
  /** Whether the caller will wait for the API: what depends on it is then started when it answers. */
  wait: boolean
}
