import { createHash } from 'node:crypto'
import type { DriverName } from '../../control-plane/spec/driver-name.ts'
import type { PlaneReference } from '../../control-plane/plane/plane.ts'

/** Name of the extension that marks the entries that vplane wrote into a kubeconfig. */
export const EXTENSION_NAME = 'vplane.dev/context'

/** The format of the extension that this vplane writes; it reads every older format too. */
export const EXTENSION_FORMAT = 1

/** The plane that a context leads to, as recorded on the context. */
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

type EntryUser =
  /** A plugin that the client runs. */
  | { kind: 'exec'; command: string; args: readonly string[] }
  /** The kubeconfig itself, PEM. */
  | { kind: 'embedded'; certificate: string; key: string }
  | { kind: 'token'; token: string }

/** A context with the cluster and the user of the same name. */
export interface ContextEntry {
  name: string
  server: string
  /** CA bundle, PEM; the kubeconfig has it in base64. */
  certificateAuthorityData: string
  user: EntryUser
  origin: ContextOrigin
}

/** The longest name of a context: kubectl accepts longer names, and some other tools do not. */
export const MAX_NAME_LENGTH = 253

/**
 * The name of the context that `connect` writes for a plane: `vplane_dev`, or `vplane_dev_team-a_work` for one in a
 * host namespace. A name that would be too long is shortened, and a digest keeps it unique.
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
