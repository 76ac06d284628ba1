import type { KubeObject, WatchEvent } from '../../../shared/kube/kube-object.ts'

/** How long reading from the host cluster may take, in milliseconds. */
export const READ_TIMEOUT_MS = 30_000

export interface HostRequest {
  signal?: AbortSignal | undefined
}

/** Which objects of a collection are meant. @default all */
export interface Selection {
  labelSelector?: string | undefined
  fieldSelector?: string | undefined
}

export interface ListRequest extends HostRequest, Selection {}

export interface ApplyRequest extends HostRequest {
  /** Take fields over that others manage. @default true */
  force?: boolean
  dryRun?: boolean
}

export interface DeleteRequest extends HostRequest {
  /** What becomes of the objects that it owns. @default what the kind does by itself */
  propagation?: 'Foreground' | 'Background' | 'Orphan' | undefined
  /** Delete only the object that has this uid. */
  uid?: string | undefined
  /** Delete only the object as it was at this version. */
  resourceVersion?: string | undefined
  /** How long a pod has to end, in seconds; 0 forgets it at once. @default what the pod says */
  graceSeconds?: number | undefined
}

/**
 * What the driver needs of the API of a host cluster: a part of `KubeClient`, so that a test can play the rest. Paths
 * are those of the API server. Failures are `VplaneError`s: `NOT_FOUND` (404), `CONFLICT` (409), `UNREACHABLE` (no
 * connection), `TIMED_OUT`, `FAILED` (others).
 */
export interface HostApi {
  /** GET; undefined when there is no such object. */
  get(path: string, options?: HostRequest): Promise<KubeObject | undefined>
  /** All objects of a collection, with the point from which a watch goes on. */
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
  /** DELETE; false when there was no such object. */
  delete(path: string, options?: DeleteRequest): Promise<boolean>
  /** Lists, then watches: every object that is there as ADDED, then what happens. Goes on by itself after failures. */
  watch(path: string, options: { signal: AbortSignal } & Selection): AsyncIterable<WatchEvent>
  /** The text of an answer as it comes, such as the log of a pod. */
  stream(path: string, options: { signal: AbortSignal }): AsyncIterable<string>
}
