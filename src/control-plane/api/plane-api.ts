import type { KubeObject, WatchEvent } from '../../shared/kube/kube-object.ts'

/**
 * The API of a plane for use cases. Paths are those of the API server: `/api/v1/namespaces/default`. Failures are
 * `VplaneError`s: `NOT_FOUND` (404), `CONFLICT` (409), `UNREACHABLE` (no connection), `TIMED_OUT`, `FAILED` (others).
 */
export interface PlaneApi extends AsyncDisposable {
  /** GET; undefined if the object does not exist. */
  get(path: string, options?: ApiOptions): Promise<KubeObject | undefined>
  /** POST; with `dryRun` the object passes admission and validation, but is not stored. */
  create(
    path: string,
    object: KubeObject,
    options?: ApiOptions & { dryRun?: boolean },
  ): Promise<KubeObject>
  /** Server-side apply with field manager `vplane`, to the path of the object itself. */
  apply(path: string, object: KubeObject, options?: ApiOptions): Promise<KubeObject>
  /** PATCH with a JSON merge patch. */
  patch(path: string, body: unknown, options: ApiOptions & { type: 'merge' }): Promise<KubeObject>
  /** DELETE; false if the object did not exist. `graceSeconds` is the grace period of a pod; 0 deletes it at once. */
  delete(path: string, options?: ApiOptions & { graceSeconds?: number }): Promise<boolean>
  /** Lists, then watches: every existing object as ADDED, then all changes. Continues after failures. */
  watch(path: string, options: { signal: AbortSignal }): AsyncIterable<WatchEvent>
  /** GET of a text such as `/readyz`: any status, and at most one mebibyte of the body. */
  text(path: string, options?: ApiOptions): Promise<{ status: number; body: string }>
  /** GET of a text of any length, such as `/metrics`, in chunks as they arrive. */
  stream(path: string, options: { signal: AbortSignal }): AsyncIterable<string>
}

export interface ApiOptions {
  signal?: AbortSignal
}
