import type { ControlPlaneSpec } from './control-plane-spec.ts'

/** Manifests: files or folders (read recursively), as paths or `file:` URLs, and objects. */
export type Manifests = ReadonlyArray<string | URL | object>

/** Webhooks that this process, or one that it starts, serves. */
export interface WebhookOptions {
  /** Files or folders with webhook configurations, such as `config/webhook`; skips other objects. @default none */
  paths?: ReadonlyArray<string | URL> | undefined
  /** Webhook configurations as objects. @default none */
  objects?: readonly object[] | undefined
  /** Host name or address on which the webhook server will listen. @default `127.0.0.1` */
  host?: string | undefined
  /** Port on which the webhook server will listen. @default a free one */
  port?: number | undefined
}

/** How to start a control plane. */
export interface StartOptions {
  /** Kubernetes version: `1.36` or `1.36.3`. @default the first one that `vplane version` prints */
  version?: string | undefined
  /** Other fields of its spec. @default it is ephemeral */
  spec?: ControlPlaneSpec | undefined
  /** Custom resource definitions, which are served when the plane is ready. @default none */
  crds?: Manifests | undefined
  /**
   * Installs webhooks. A local server, for which `webhooks` of the plane has a certificate, replaces every `service` in
   * them and in the conversions of `crds`. @default none
   */
  webhooks?: WebhookOptions | undefined
  /** Folder with the binaries to run. @default those in vplane's cache, which are downloaded if necessary */
  binDir?: string | undefined
  /** How long it may take to become ready, in milliseconds, without the download of binaries. @default 60_000 */
  timeoutMs?: number | undefined
  /** Aborts the start; vplane then removes what it has created. @default none */
  signal?: AbortSignal | undefined
  /** Gets a line for each step, note and warning. @default none are shown */
  log?: ((line: string) => void) | undefined
}
