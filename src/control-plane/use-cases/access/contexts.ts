import type { ClientCredential, Endpoint, PlaneReference } from '../../plane/plane.ts'

/** How the user of a context authenticates. */
export type ContextUser =
  /** By the credential plugin, which also starts a paused plane. */
  | {
      kind: 'plugin'
      /** The address that the user gave for the plane: the plugin uses no other. */
      server?: string
    }
  /** By a certificate in the kubeconfig. */
  | { kind: 'embedded'; access: Pick<ClientCredential, 'certificate' | 'key'> }
  /** By a token in the kubeconfig. */
  | { kind: 'token'; token: string }

export interface NewContext {
  plane: PlaneReference
  endpoint: Endpoint
  user: ContextUser
  /** Whether it becomes the current context. @default true */
  makeCurrent?: boolean
}

export interface WrittenContext {
  context: string
  file: string
  /** The context that was current before, if it was another one. */
  previousContext?: string
}

/** The contexts that vplane manages in the user's kubeconfig. */
export interface Contexts {
  /** Writes a plane's context with its cluster and user, and makes it current unless told otherwise. */
  add(context: NewContext, signal: AbortSignal): Promise<WrittenContext>

  /** Points the contexts of a plane at another address; returns whether it changed any. */
  move(plane: PlaneReference, endpoint: Endpoint, signal: AbortSignal): Promise<boolean>

  /** Makes the contexts of a plane trust other CAs; returns whether it changed any. */
  trust(plane: PlaneReference, certificateAuthority: string, signal: AbortSignal): Promise<boolean>

  /**
   * Removes a plane's context, and makes the previous one current again; undefined without one. With the CAs of the plane, a
   * context that trusts none of them stays: it leads to another plane of the name.
   */
  remove(
    plane: PlaneReference & { certificateAuthority?: string | undefined },
    signal: AbortSignal,
  ): Promise<RemovedContext | undefined>

  planes(): Promise<PlaneReference[]>

  certificates(): Promise<ContextCertificate[]>

  /** The plane of the current context; undefined when vplane did not write that context. */
  currentPlane(): Promise<PlaneReference | undefined>

  /**
   * The context of the host cluster: the wanted one, or the current one. A context of vplane is never a host: when one
   * is current, the host context is the one that its plane runs in.
   * @throws {VplaneError} `USAGE` when vplane wrote the wanted context.
   */
  hostContext(wanted?: string): Promise<string | undefined>

  /**
   * The host context in which vplane looks for planes: that of `hostContext`, or with a local plane current, the one
   * that was current before it.
   */
  hostBehind(): Promise<string | undefined>

  /** Returns a kubeconfig with this context alone. */
  render(context: NewContext): string
  /** Writes the credential plugin that a rendered kubeconfig may name; `add` does so by itself. */
  writePlugin(): Promise<void>
}

export interface ContextCertificate {
  context: string
  plane: PlaneReference
  expiresAt: Date
}

export interface RemovedContext {
  context: string
  file: string
  currentContext?: string
}
