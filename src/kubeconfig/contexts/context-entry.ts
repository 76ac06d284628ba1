import { createHash } from 'node:crypto'
import type { DriverName } from '../../control-plane/spec/driver-name.ts'
import type { PlaneReference } from '../../control-plane/plane/plane.ts'

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

/** A user whose token lies in the kubeconfig itself. */
export interface TokenUser {
  kind: 'token'
  token: string
}

/** A context with the cluster and the user of the same name. */
export interface ContextEntry {
  name: string
  server: string
  /** CA bundle, PEM; it is written as base64. */
  certificateAuthorityData: string
  user: ExecUser | EmbeddedUser | TokenUser
  origin: ContextOrigin
}

/** kubectl takes longer ones, and some tools of others do not. */
const MAX_NAME_LENGTH = 253

/**
 * The name of the context that `connect` writes for a plane: `vplane_dev`, or `vplane_dev_team-a_work` for one in a host
 * namespace. A host context whose name is too long for that is shortened and told apart by a digest.
 */
export function contextNameOf({ hostContext, name, namespace }: PlaneReference): string {
  const parts = ['vplane', name, namespace, hostContext].filter((part) => part !== undefined)
  const whole = parts.join('_')
  if (whole.length <= MAX_NAME_LENGTH) {
    return whole
  }
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, 10)
  return `${whole.slice(0, MAX_NAME_LENGTH - digest.length - 1)}-${digest}`
}
