import type { DriverName } from '../control-plane/plane.ts'

/** Name of the extension that marks what vplane wrote into a kubeconfig. */
export const EXTENSION_NAME = 'vplane.dev/context'

/** The format of the extension that this vplane writes; it reads every older one. */
export const EXTENSION_FORMAT = 1

/** The plane that a context leads to, as it is recorded on the context. */
export interface ContextOrigin {
  /** The version of the vplane that writes the context. */
  writtenBy: string
  plane: string
  driver: DriverName
  /** Host namespace; only with the `kubernetes` driver. */
  namespace?: string
  /** Context of the host cluster; only with the `kubernetes` driver. */
  hostContext?: string
}

/** A user whose credentials come from a plugin that the client runs. */
export interface ExecUser {
  kind: 'exec'
  command: string
  args: readonly string[]
  /** What a client says when the command is not there. @default how to install vplane */
  installHint?: string
  /** Tell the command which server the client is about to connect to. @default false */
  provideClusterInfo?: boolean
}

/** A user whose credentials lie in the kubeconfig itself, PEM. */
export interface EmbeddedUser {
  kind: 'embedded'
  certificate: string
  key: string
}

/** A context with the cluster and the user of the same name. */
export interface ContextEntry {
  name: string
  server: string
  /** CA bundle, PEM; it is written as base64. */
  certificateAuthorityData: string
  user: ExecUser | EmbeddedUser
  origin: ContextOrigin
}

/** The context that `connect` writes for a plane. */
export function contextNameOf(plane: string): string {
  return `vplane_${plane}`
}
