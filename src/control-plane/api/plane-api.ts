import type { KubeObject, WatchEvent } from '../../shared/kube/kube-object.ts'

/**
 * What use cases need of a plane's API. Paths are those of the API server: `/api/v1/namespaces/default`. Failures are
 * `VplaneError`s: `NOT_FOUND` (404), `CONFLICT` (409), `UNREACHABLE` (no connection), `TIMED_OUT`, `FAILED` (others).
 */
export interface PlaneApi extends AsyncDisposable {
  /** GET; undefined when there is no such object. */
  get(path: string, options?: ApiOptions): Promise<KubeObject | undefined>
  /** POST; `dryRun` goes through admission and validation and stores nothing. */
  create(
    path: string,
    object: KubeObject,
    options?: ApiOptions & { dryRun?: boolean },
  ): Promise<KubeObject>
  /** Server-side apply with field manager `vplane`, to the path of the object itself. */
  apply(path: string, object: KubeObject, options?: ApiOptions): Promise<KubeObject>
  /** PATCH, as JSON merges. */
  patch(path: string, body: unknown, options: ApiOptions & { type: 'merge' }): Promise<KubeObject>
  /** DELETE; false when there was no such object. A pod may get so long to end, in seconds; 0 forgets it at once. */
  delete(path: string, options?: ApiOptions & { graceSeconds?: number }): Promise<boolean>
  /** Lists, then watches: every object that is there as ADDED, then what happens. Goes on by itself after failures. */
  watch(path: string, options: { signal: AbortSignal }): AsyncIterable<WatchEvent>
  /** GET of a plain text path such as `/readyz`: status and body, whatever the status; a mebibyte of it at most. */
  text(path: string, options?: ApiOptions): Promise<{ status: number; body: string }>
  /** GET of a text of any length, such as `/metrics`: pieces of it as they come. */
  stream(path: string, options: { signal: AbortSignal }): AsyncIterable<string>
}

export interface ApiOptions {
  signal?: AbortSignal
}
