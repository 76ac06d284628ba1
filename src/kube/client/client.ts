import { VplaneError } from '../../shared/errors.ts'
import { toApplyConflict } from './apply-conflict.ts'
import { type KubeConnection, PATIENCE, type Patience } from '../connection.ts'
import { exchange, exchangeText } from '../http/exchange.ts'
import { unlessStatus } from '../kube-error.ts'
import type { KubeObject, WatchEvent } from '../../shared/kube/kube-object.ts'
import { isRecord } from '../../shared/json-fields.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { listObjects, type ListOptions, type ObjectList } from './list.ts'
import { createPeer, type Peer } from '../http/peer.ts'
import { type Selection, withQuery, withSelection } from './query.ts'
import { streamText } from './text-stream.ts'
import { type KubeRequest, transportOf } from '../http/transport.ts'
import { type WatchOptions, watchObjects } from './watch.ts'

const FIELD_MANAGER = 'vplane'

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
}

interface RequestOptions {
  signal?: AbortSignal | undefined
}

interface DeleteOptions {
  /** When the objects that it owns are deleted. @default that of the kind, mostly `Background` */
  propagation?: 'Foreground' | 'Background' | 'Orphan' | undefined
  /** Only the object with this uid. */
  uid?: string | undefined
  /** Only the object as it was at this resource version. */
  resourceVersion?: string | undefined
  /** Time for a pod to terminate, in seconds; 0 deletes it at once. @default the value in the pod */
  graceSeconds?: number | undefined
}

/**
 * A client of an API server in plain JSON. It neither checks nor changes objects, so that fields of every version and
 * custom resource are preserved. (The models of the official client drop unknown fields.)
 *
 * Paths are those of the API server, escaped by the caller: `/api/v1/namespaces/default`. Failures are `VplaneError`s:
 * `NOT_FOUND` (404), `CONFLICT` (409), `UNREACHABLE` (no connection, 429, 502, 503), `TIMED_OUT`, `FAILED` (others).
 * When a signal fires, its reason is thrown as it is.
 */
export interface KubeClient extends AsyncDisposable {
  /** GET; undefined when there is no such object. */
  get(path: string, options?: RequestOptions): Promise<KubeObject | undefined>
  /** Lists a collection at one version, each item with its kind and version. */
  list(
    path: string,
    options?: RequestOptions & Selection & Pick<ListOptions, 'metadataOnly'>,
  ): Promise<ObjectList>
  /** POST; `dryRun` goes through admission and validation and stores nothing. */
  create(
    path: string,
    object: KubeObject,
    options?: RequestOptions & { dryRun?: boolean },
  ): Promise<KubeObject>
  /**
   * Server-side apply with field manager `vplane`, to the path of the object itself. `force` (default: true) takes over
   * fields of other managers; without it they are a `CONFLICT` that names the managers and fields.
   */
  apply(
    path: string,
    object: KubeObject,
    options?: RequestOptions & { force?: boolean; dryRun?: boolean },
  ): Promise<KubeObject>
  /** PATCH of one of the other types; it is not repeated when its effect is unknown. */
  patch(
    path: string,
    body: unknown,
    options: RequestOptions & { type: keyof typeof PATCH_TYPES },
  ): Promise<KubeObject>
  /** PUT; with a resource version in the object it is a `CONFLICT` when the stored one has another. */
  replace(path: string, object: KubeObject, options?: RequestOptions): Promise<KubeObject>
  /** DELETE; false when there was no such object. With `uid` or `resourceVersion` another one is a `CONFLICT`. */
  delete(path: string, options?: RequestOptions & DeleteOptions): Promise<boolean>
  /**
   * Lists, then watches: every existing object as ADDED, then each change. Continues by itself after failures. `onListed`
   * is called when the consumer has taken all existing objects, `onDenied` when access is denied: without it, that is a
   * failure.
   */
  watch(path: string, options: WatchOptions & Selection): AsyncIterable<WatchEvent>
  /** GET of a plain text path such as `/readyz`: status and body, whatever the status; sent once. */
  text(path: string, options?: RequestOptions): Promise<{ status: number; body: string }>
  /** GET of a text stream, such as a pod's log: its pieces, until the server ends it. */
  stream(path: string, options: { signal: AbortSignal }): AsyncIterable<string>
}

/** A client of one API server. It opens connections on first use, and keeps them open until it is disposed. */
export function createKubeClient(
  connection: KubeConnection,
  patience: Partial<Patience> = {},
): KubeClient {
  return kubeClientOf(createPeer(connection, { ...PATIENCE, ...patience }))
}

export interface ClientOptions {
  /** `Strict`: the API server refuses a write with fields that it does not know. @default it drops them */
  fieldValidation?: 'Strict'
}

/** A client of a peer, which it disposes. */
export function kubeClientOf(peer: Peer, { fieldValidation }: ClientOptions = {}): KubeClient {
  const transport = transportOf(peer)
  const managed = ({ dryRun = false }: { dryRun?: boolean | undefined } = {}) => ({
    fieldManager: FIELD_MANAGER,
    dryRun: dryRun ? 'All' : undefined,
    fieldValidation,
  })
  const objectOf = async (request: KubeRequest) =>
    toObject(await exchange(transport, request), request)

  return {
    get: (path, { signal } = {}) => unlessStatus([404], objectOf({ method: 'GET', path, signal })),
    list: (path, { metadataOnly, signal, ...selection } = {}) =>
      listObjects(transport, withSelection(path, selection), { metadataOnly, signal }),
    create: (path, body, { dryRun, signal } = {}) =>
      objectOf({ method: 'POST', path: withQuery(path, managed({ dryRun })), body, signal }),
    apply: async (path, body, { dryRun, force = true, signal } = {}) => {
      const query = { ...managed({ dryRun }), force: String(force) }
      try {
        return await objectOf({
          method: 'PATCH',
          path: withQuery(path, query),
          body,
          contentType: 'application/apply-patch+yaml',
          isRepeatable: true,
          signal,
        })
      } catch (error) {
        throw toApplyConflict(error, body)
      }
    },
    patch: (path, body, { signal, type }) =>
      objectOf({
        method: 'PATCH',
        path: withQuery(path, managed()),
        body,
        contentType: PATCH_TYPES[type],
        signal,
      }),
    replace: (path, body, { signal } = {}) =>
      objectOf({ method: 'PUT', path: withQuery(path, managed()), body, signal }),
    delete: async (path, { signal, ...options } = {}) => {
      const request = { method: 'DELETE', path, body: toDeleteBody(options), signal } as const
      return (await unlessStatus([404], exchange(transport, request))) !== undefined
    },
    watch: (path, { keep, metadataOnly, onDenied, onListed, signal, ...selection }) => {
      const options = { signal, keep, onDenied, onListed, metadataOnly }
      return watchObjects(transport, withSelection(path, selection), options)
    },
    text: (path, { signal } = {}) => exchangeText(transport, { method: 'GET', path, signal }),
    stream: (path, { signal }) => streamText(transport, path, signal),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

/** Adds empty metadata where the API sends none, as for discovery and `/version`. */
function toObject(answer: unknown, { method, path }: KubeRequest): KubeObject {
  if (isRecord(answer)) {
    return { metadata: {}, apiVersion: '', kind: '', ...answer }
  }
  throw new VplaneError('FAILED', `${method} ${path} was answered with something that is no object`)
}

/** The body of a DELETE; undefined without options. */
export function toDeleteBody(options: DeleteOptions): object | undefined {
  const { graceSeconds, propagation, resourceVersion, uid } = options
  const isConditional = (uid ?? resourceVersion) !== undefined
  const fields = omitUndefined({
    propagationPolicy: propagation,
    gracePeriodSeconds: graceSeconds,
    preconditions: isConditional ? omitUndefined({ uid, resourceVersion }) : undefined,
  })
  return Object.keys(fields).length === 0
    ? undefined
    : { apiVersion: 'v1', kind: 'DeleteOptions', ...fields }
}
