import { VplaneError } from '../shared/errors.ts'
import type { KubeConnection, Patience } from './connection.ts'
import { PATIENCE } from './connection.ts'
import { exchange, exchangeText } from './exchange.ts'
import { httpStatusOf } from './kube-error.ts'
import type { KubeObject, WatchEvent } from './kube-object.ts'
import { isRecord } from './kube-object.ts'
import { withQuery } from './query.ts'
import type { KubeRequest } from './transport.ts'
import { createTransport } from './transport.ts'
import { watchObjects } from './watch.ts'

const FIELD_MANAGER = 'vplane'

interface RequestOptions {
  signal?: AbortSignal
}

/**
 * An API server, spoken to in plain JSON: what it sends and gets is neither checked nor changed, so that fields of
 * every version and of every custom resource survive. (The models of the official client drop fields they do not know.)
 *
 * Paths are those of the API server, escaped by the caller: `/api/v1/namespaces/default`. Failures are `VplaneError`s:
 * `NOT_FOUND` (404), `CONFLICT` (409), `UNREACHABLE` (no connection, 429, 502, 503), `TIMED_OUT`, `FAILED` (others).
 * When a signal fires, its reason is thrown as it is.
 */
export interface KubeClient extends AsyncDisposable {
  /** GET; undefined when there is no such object. */
  get(path: string, options?: RequestOptions): Promise<KubeObject | undefined>
  /** POST; `dryRun` goes through admission and validation and stores nothing. */
  create(
    path: string,
    object: KubeObject,
    options?: RequestOptions & { dryRun?: boolean },
  ): Promise<KubeObject>
  /** Server-side apply with field manager `vplane`, to the path of the object itself; fields of others are taken over. */
  apply(path: string, object: KubeObject, options?: RequestOptions): Promise<KubeObject>
  /** DELETE; false when there was no such object. */
  delete(path: string, options?: RequestOptions): Promise<boolean>
  /** Lists, then watches: every object that is there as ADDED, then what happens. Goes on by itself after failures. */
  watch(path: string, options: { signal: AbortSignal }): AsyncIterable<WatchEvent>
  /** GET of a plain text path such as `/readyz`: status and body, whatever the status; sent once. */
  text(path: string, options?: RequestOptions): Promise<{ status: number; body: string }>
}

/** A client of one API server. Its connections are kept open until it is disposed; none is made before it is used. */
export function createKubeClient(
  connection: KubeConnection,
  patience: Partial<Patience> = {},
): KubeClient {
  const transport = createTransport(connection, { ...PATIENCE, ...patience })
  const objectOf = async (request: KubeRequest) =>
    toObject(await exchange(transport, request), request)

  return {
    get: (path, { signal } = {}) =>
      unlessMissing(objectOf({ method: 'GET', path, signal }), undefined),
    create: (path, body, { dryRun = false, signal } = {}) => {
      const query = { fieldManager: FIELD_MANAGER, dryRun: dryRun ? 'All' : undefined }
      return objectOf({ method: 'POST', path: withQuery(path, query), body, signal })
    },
    apply: (path, body, { signal } = {}) =>
      objectOf({
        method: 'PATCH',
        path: withQuery(path, { fieldManager: FIELD_MANAGER, force: 'true' }),
        body,
        contentType: 'application/apply-patch+yaml',
        signal,
      }),
    delete: (path, { signal } = {}) =>
      unlessMissing(
        exchange(transport, { method: 'DELETE', path, signal }).then(() => true),
        false,
      ),
    watch: (path, { signal }) => watchObjects(transport, path, signal),
    text: (path, { signal } = {}) => exchangeText(transport, { method: 'GET', path, signal }),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

/** Discovery, `/version` and the like have no metadata: they get an empty one, nothing else is touched. */
function toObject(answer: unknown, { method, path }: KubeRequest): KubeObject {
  if (isRecord(answer)) {
    return { metadata: {}, apiVersion: '', kind: '', ...answer }
  }
  throw new VplaneError('FAILED', `${method} ${path} was answered with something that is no object`)
}

async function unlessMissing<T, U>(answer: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await answer
  } catch (error) {
    if (httpStatusOf(error) === 404) {
      return otherwise
    }
    throw error
  }
}
