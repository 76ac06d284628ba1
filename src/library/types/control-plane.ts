import type { PlaneApi } from '../../control-plane/api/plane-api.ts'

/** One process of a control plane. */
export type Component = 'etcd' | 'kine' | 'kube-apiserver' | 'kube-controller-manager'

/** A small client that passes JSON through unchanged. Failures are `VplaneError`s with a code. */
export type Api = Omit<PlaneApi, typeof Symbol.asyncDispose>

export interface UserOptions {
  name: string
  /** @default none */
  groups?: readonly string[] | undefined
  /** Lifetime of the credential, in milliseconds. @default a day */
  lifetimeMs?: number | undefined
}

/** A user of a control plane, with the permissions that RBAC grants. */
export interface User {
  name: string
  /** A complete kubeconfig with the credential. */
  kubeconfig: string
  /** Client certificate, PEM. */
  certificate: string
  /** Key of the client certificate, PEM. */
  key: string
  expiresAt: Date
}

/** What a webhook server needs so that the plane's API server trusts it; it can be sent to other processes. */
export interface WebhookServing {
  /** Where the server must listen. */
  host: string
  port: number
  /** Certificate of the server for `host`, PEM. */
  certificate: string
  /** Key of the certificate, PEM. */
  key: string
  /** The CA that the API server trusts for these webhooks, PEM. */
  certificateAuthority: string
}

/** Where webhooks are served, and how to wait for that. */
export interface Webhooks extends WebhookServing {
  /**
   * Returns when a server with the certificate answers there.
   * @throws {VplaneError} `TIMED_OUT` after `timeoutMs` (10 s by default).
   */
  waitUntilServed(options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<void>
}

/** A running control plane, for everyone who may use it. */
export interface SharedControlPlane {
  readonly name: string
  /** Kubernetes version, such as `1.36.3`. */
  readonly version: string
  /** Address of the API: `https://127.0.0.1:20443`. */
  readonly server: string
  /** The CA of the API's certificate, PEM. */
  readonly certificateAuthority: string
  /** A complete kubeconfig with the credential of an administrator, valid for a day. */
  readonly kubeconfig: string
  /** A client for the API, as an administrator. */
  readonly api: Api
  /** Only with the option `webhooks`. */
  readonly webhooks?: Webhooks

  /**
   * Issues a credential for a user, who has no permissions until RBAC grants some.
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
   * Writes a kubeconfig to a file that only this user can read, for programs such as kubectl and helm, and returns its path.
   * The file is removed with the plane.
   *
   * @param user the user whose credential it has, from `addUser`; by default the administrator
   *
   * @example
   * ```ts
   * import { KubeConfig, CoreV1Api } from '@kubernetes/client-node'
   *
   * const path = await plane.writeKubeconfig()
   *
   * const config = new KubeConfig()
   * config.loadFromFile(path)
   * const { items } = await config.makeApiClient(CoreV1Api).listNamespace()
   * assert.notEqual(items.length, 0)
   * ```
   *
   * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when the plane was stopped, `FAILED` when it cannot be written.
   */
  writeKubeconfig(user?: Pick<User, 'name' | 'kubeconfig'>): Promise<string>

  /**
   * Creates a namespace with a unique name, and returns its name when it has what pods and clients need.
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
   * Returns the log of a component until now.
   *
   * @example
   * ```ts
   * const log = await plane.logs('kube-apiserver', { tail: 20 })
   * assert.notEqual(log, '')
   * ```
   */
  logs(component: Component, options?: { tail?: number }): Promise<string>
}

/** A control plane that this process owns. */
export interface ControlPlane extends SharedControlPlane, AsyncDisposable {
  /**
   * Stops all of its processes and removes its files, as the end of an `await using` block and of this process does.
   * @throws {VplaneError} `FAILED` with what could not be removed.
   */
  stop(): Promise<void>
}
