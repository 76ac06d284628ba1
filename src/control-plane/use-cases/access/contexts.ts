import type { ClientCredential, Endpoint, PlaneReference } from '../../plane/plane.ts'

/** How the user entry of a context proves who it is. */
export type ContextUser =
  /** By the credential plugin, which also starts a plane that rests. */
  | {
      kind: 'plugin'
      /** The address that the user gave for the plane: the plugin looks for no other. */
      server?: string
    }
  /** By a certificate in the kubeconfig itself. */
  | { kind: 'embedded'; access: Pick<ClientCredential, 'certificate' | 'key'> }
  /** By a token in the kubeconfig itself. */
  | { kind: 'token'; token: string }

export interface NewContext {
  plane: PlaneReference
  endpoint: Endpoint
  user: ContextUser
  /** Whether it becomes the current context. @default true */
  makeCurrent?: boolean
}

export interface WrittenContext {
  /** Name of the context. */
  context: string
  /** The kubeconfig that was changed. */
  file: string
  /** The context that was current before, when there was another. */
  previousContext?: string
}

/** The contexts that vplane keeps in the user's kubeconfig. */
export interface Contexts {
  /** Writes a plane's context with its cluster and user, and makes it current unless it is not to be. */
  add(context: NewContext, signal: AbortSignal): Promise<WrittenContext>

  /** Points a plane's context at another address, where there is one; says whether something was changed. */
  move(plane: PlaneReference, endpoint: Endpoint, signal: AbortSignal): Promise<boolean>

  /** Makes a plane's contexts trust other CAs, where there are any, and says whether something was changed. */
  trust(plane: PlaneReference, certificateAuthority: string, signal: AbortSignal): Promise<boolean>

  /**
   * Removes a plane's context, cluster and user, and goes back to the context before.
   *
   * @returns undefined when the kubeconfig has no context of this plane.
   */
  remove(plane: PlaneReference, signal: AbortSignal): Promise<RemovedContext | undefined>

  /** The planes that contexts lead to. */
  planes(): Promise<PlaneReference[]>

  /** The client certificates that are in contexts themselves. */
  certificates(): Promise<ContextCertificate[]>

  /** The plane that the current context leads to; undefined when vplane did not write it. */
  currentPlane(): Promise<PlaneReference | undefined>

  /**
   * The context of the host cluster: the one that the user says, or the current one. A context of ours is never a host:
   * with one current, it is the host context behind it.
   *
   * @throws {VplaneError} `USAGE` when the one that the user says is a context of ours.
   */
  hostContext(wanted?: string): Promise<string | undefined>

  /**
   * The context of the host cluster in which planes are looked for: as `hostContext`, and with a plane of this machine
   * current, the one that was current before it.
   */
  hostBehind(): Promise<string | undefined>

  /** A kubeconfig with this context alone. */
  render(context: NewContext): string
}

/** A client certificate in a kubeconfig. */
export interface ContextCertificate {
  /** Name of the context. */
  context: string
  plane: PlaneReference
  expiresAt: Date
}

export interface RemovedContext {
  context: string
  file: string
  /** The context that is current now. */
  currentContext?: string
}
