import type { PlaneApi } from '../../control-plane/api/plane-api.ts'

/** One of the processes of a control plane. */
export type Component = 'etcd' | 'kube-apiserver' | 'kube-controller-manager'

/** A small client that passes JSON through as it is. Failures are `VplaneError`s with a code. */
export type Api = Omit<PlaneApi, typeof Symbol.asyncDispose>

/** Whom to add to a control plane. */
export interface UserOptions {
  name: string
  /** @default none */
  groups?: readonly string[] | undefined
  /** How long the credential is good, in milliseconds. @default a day */
  lifetimeMs?: number | undefined
}

/** Somebody who can talk to a control plane, and may do what RBAC says. */
export interface User {
  name: string
  /** A complete kubeconfig with the credential in it. */
  kubeconfig: string
  /** Client certificate, PEM. */
  certificate: string
  /** Key of the client certificate, PEM. */
  key: string
  expiresAt: Date
}

/** What a webhook server needs to be believed by the plane's API server; it can be sent to other processes. */
export interface WebhookServing {
  /** Where the server is to listen. */
  host: string
  port: number
  /** Certificate of the server for `host`, PEM. */
  certificate: string
  /** Key of the certificate, PEM. */
  key: string
  /** The CA that the API server trusts for these webhooks, PEM. */
  certificateAuthority: string
}

/** Where webhooks are served, and the way to wait for that. */
export interface Webhooks extends WebhookServing {
  /**
   * Returns when a server answers there with the certificate.
   *
   * @throws {VplaneError} `TIMED_OUT` after `timeoutMs` (10 s unless told otherwise).
   */
  waitUntilServed(options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<void>
}

/** A running control plane, as everybody sees it who may use it. */
export interface SharedControlPlane {
  readonly name: string
  /** Kubernetes version, such as `1.36.3`. */
  readonly version: string
  /** Address of the API: `https://127.0.0.1:20443`. */
  readonly server: string
  /** The CA of the API's certificate, PEM. */
  readonly certificateAuthority: string
  /** A complete kubeconfig with an administrator's credential in it, good for a day. */
  readonly kubeconfig: string
  /** Speaks to the API as an administrator. */
  readonly api: Api
  /** Only when it was started with `webhooks`. */
  readonly webhooks?: Webhooks

  /**
   * Makes a credential for a user, who may do nothing until RBAC says so.
   *
   * @example
   * ```ts
   * import { KubeConfig, CoreV1Api } from '@kubernetes/client-node'
   *
   * const jane = await plane.addUser({ name: 'jane', groups: ['developers'] })
   *
   * const config = new KubeConfig()
   * config.loadFromString(jane.kubeconfig)
   * const denied = await config
   *   .makeApiClient(CoreV1Api)
   *   .listNamespacedSecret({ namespace: 'default' })
   *   .catch((error) => error.code)
   * assert.equal(denied, 403)
   * ```
   *
   * @throws {VplaneError} `USAGE` when the name is empty.
   */
  addUser(user: UserOptions): Promise<User>

  /**
   * Makes a namespace with a name of its own, and returns its name when pods and clients find in it what they count on.
   *
   * @example
   * ```ts
   * const namespace = await plane.createNamespace()
   *
   * const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token' } }
   * await plane.api.create(`/api/v1/namespaces/${namespace}/secrets`, secret)
   * ```
   */
  createNamespace(options?: { prefix?: string; signal?: AbortSignal }): Promise<string>

  /**
   * What a component wrote until now.
   *
   * @example
   * ```ts
   * const log = await plane.logs('kube-apiserver', { tail: 20 })
   * assert.notEqual(log, '')
   * ```
   */
  logs(component: Component, options?: { tail?: number }): Promise<string>
}

/** A control plane of this process's own. */
export interface ControlPlane extends SharedControlPlane, AsyncDisposable {
  /**
   * Ends all of its processes and removes its files. It is done at the end of a block by `await using`, and whatever
   * happens when this process dies.
   *
   * @throws {VplaneError} `FAILED` with what could not be removed.
   */
  stop(): Promise<void>
}
