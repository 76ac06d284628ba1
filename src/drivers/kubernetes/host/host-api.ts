import type { KubeObject, WatchEvent } from '../../../shared/kube/kube-object.ts'
import { timeLimit } from '../../../shared/wait.ts'

/** How long reading from the host cluster may take, in milliseconds. */
const READ_TIMEOUT_MS = 30_000

/** A signal that limits reading from the host cluster; its reason is an error for users. */
export function readLimit(): AbortSignal {
  return timeLimit(READ_TIMEOUT_MS, 'the host cluster')
}

export interface HostRequest {
  signal?: AbortSignal | undefined
}

/** Selects objects of a collection. @default all */
export interface Selection {
  labelSelector?: string | undefined
  fieldSelector?: string | undefined
}

export interface ListRequest extends HostRequest, Selection {
  /** Whether the items have nothing but their metadata. @default false */
  metadataOnly?: boolean | undefined
}

export interface ApplyRequest extends HostRequest {
  /** Take over fields of other managers. @default true */
  force?: boolean
  dryRun?: boolean
}

export interface DeleteRequest extends HostRequest {
  /** What happens to the objects that it owns. @default the default of the kind */
  propagation?: 'Foreground' | 'Background' | 'Orphan' | undefined
  uid?: string | undefined
  resourceVersion?: string | undefined
  /** The grace period of a pod, in seconds; 0 deletes it from the API at once. @default the grace period of the pod */
  graceSeconds?: number | undefined
}

/**
 * The requests that the driver sends to the API server of a host cluster: a part of `KubeClient`, which tests replace.
 * Failures are `VplaneError`s: `NOT_FOUND` (404), `CONFLICT` (409), `UNREACHABLE` (no connection), `TIMED_OUT`,
 * `FAILED` (others).
 */
export interface HostApi {
  /** GET; undefined when the object does not exist. */
  get(path: string, options?: HostRequest): Promise<KubeObject | undefined>
  /** The version is where a watch continues. */
  list(
    path: string,
    options?: ListRequest,
  ): Promise<{ items: KubeObject[]; resourceVersion: string }>
  /** POST; `dryRun` goes through admission and validation and stores nothing. */
  create(
    path: string,
    object: KubeObject,
    options?: HostRequest & { dryRun?: boolean },
  ): Promise<KubeObject>
  /** Server-side apply with field manager `vplane`; without `force` a field of another manager is a `CONFLICT`. */
  apply(path: string, object: KubeObject, options?: ApplyRequest): Promise<KubeObject>
  patch(
    path: string,
    body: unknown,
    options: HostRequest & { type: 'merge' | 'json' | 'strategic' },
  ): Promise<KubeObject>
  /** PUT; `CONFLICT` when the object is not at the resource version that is sent. */
  replace(path: string, object: KubeObject, options?: HostRequest): Promise<KubeObject>
  /** DELETE; false when the object did not exist. */
  delete(path: string, options?: DeleteRequest): Promise<boolean>
  /** Lists, then watches: every existing object as ADDED, then all events. Continues after failures. */
  watch(path: string, options: { signal: AbortSignal } & Selection): AsyncIterable<WatchEvent>
  /** Yields the text of a response as it arrives. */
  stream(path: string, options: { signal: AbortSignal }): AsyncIterable<string>
}
