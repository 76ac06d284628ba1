import type { Endpoint, PlaneReference } from '../plane.ts'
import type { Access } from './access.ts'

/** How the user entry of a context proves who it is. */
export type ContextUser =
  /** By the credential plugin, which also starts a plane that rests. */
  | { kind: 'plugin' }
  /** By a certificate in the kubeconfig itself. */
  | { kind: 'embedded'; access: Access }

export interface NewContext {
  plane: PlaneReference
  endpoint: Endpoint
  user: ContextUser
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
  /** Writes a plane's context with its cluster and user, and makes it current. */
  add(context: NewContext, signal: AbortSignal): Promise<WrittenContext>

  /** Points a plane's context at another address, where there is one; says whether something was changed. */
  move(plane: PlaneReference, endpoint: Endpoint, signal: AbortSignal): Promise<boolean>

  /**
   * Removes a plane's context, cluster and user, and goes back to the context before.
   *
   * @returns undefined when the kubeconfig has no context of this plane.
   */
  remove(plane: PlaneReference, signal: AbortSignal): Promise<RemovedContext | undefined>

  /** The planes that contexts lead to. */
  planes(): Promise<PlaneReference[]>

  /** The plane that the current context leads to; undefined when vplane did not write it. */
  currentPlane(): Promise<PlaneReference | undefined>

  /** The current context, or the host context behind it when vplane wrote it: a context of ours is never a host. */
  hostContext(): Promise<string | undefined>

  /** A kubeconfig with this context alone. */
  render(context: NewContext): string
}

export interface RemovedContext {
  context: string
  file: string
  /** The context that is current now. */
  currentContext?: string
}
