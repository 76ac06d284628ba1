import type { ControlPlaneSpec } from './control-plane-spec.ts'

/** Manifests: files or folders (with all folders below), as paths or `file:` URLs, and objects as they are. */
export type Manifests = ReadonlyArray<string | URL | object>

/** Webhooks that the test's own process (or one it starts) answers. */
export interface WebhookOptions {
  /**
   * Where the webhook configurations are: files or folders, as paths or `file:` URLs, such as `config/webhook`. What
   * they hold besides is left out. @default none
   */
  paths?: ReadonlyArray<string | URL> | undefined
  /** Webhook configurations as objects. @default none */
  objects?: readonly object[] | undefined
  /** Host name or address on which the webhook server will listen. @default `127.0.0.1` */
  host?: string | undefined
  /** Port on which the webhook server will listen. @default one that is free */
  port?: number | undefined
}

/** How to start a control plane; everything has a default. */
export interface StartOptions {
  /** Kubernetes version: `1.36` or `1.36.3`. @default the newest that vplane knows */
  version?: string | undefined
  /** What else is to be special about it. @default nothing; it is ephemeral */
  spec?: ControlPlaneSpec | undefined
  /** Custom resource definitions, which are served when the plane is ready. @default none */
  crds?: Manifests | undefined
  /**
   * Installs webhooks, and turns every `service` in them and in the conversions of `crds` to a local server, for which
   * `webhooks` of the plane has a certificate. @default none
   */
  webhooks?: WebhookOptions | undefined
  /** Folder with the binaries to run. @default those in vplane's cache, which are got when they are not there */
  binDir?: string | undefined
  /** How long it may take until it is ready, in milliseconds; getting the binaries is not counted. @default 60_000 */
  timeoutMs?: number | undefined
  /** Ends the start: what was made until then is removed. @default nothing ends it */
  signal?: AbortSignal | undefined
  /** Gets a line for each step, and for what is worth knowing. @default nobody is told */
  log?: ((line: string) => void) | undefined
}
