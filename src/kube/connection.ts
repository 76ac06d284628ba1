import type { VplaneError } from '../shared/errors.ts'

/** The address of an API server, the CAs to trust, and the credentials to send. */
export interface KubeConnection extends Pick<Credential, 'certificate' | 'key'> {
  /** `https://127.0.0.1:20443`; a path in it goes before every request's path. */
  server: string
  /** CA bundle, PEM. @default the CAs that this machine trusts */
  certificateAuthority?: string | undefined
  token?: string | undefined
  /** The name that the server's certificate has to be for. @default the host of `server` */
  serverName?: string | undefined
  /** Accepts any server certificate, as the user asked for explicitly. @default false */
  isInsecure?: boolean | undefined
  /** The proxy to connect through: `http:`, `https:` or `socks5:`, with user and password if it requires them. @default none */
  proxy?: URL | undefined
  /** Sent with every request. @default none */
  headers?: Readonly<Record<string, string | string[]>> | undefined
  /** Credentials that change while the client lives; `certificate`, `key` and `token` are then ignored. */
  credentials?: CredentialSource | undefined
}

/** The credential of one request, and the CAs that it trusts. */
export interface Credential {
  /** CA bundle, PEM. @default that of the connection */
  certificateAuthority?: string | undefined
  /** Client certificate, PEM; with `key`. */
  certificate?: string | undefined
  /** Private key of the client certificate, PEM. */
  key?: string | undefined
  /** Value of the header of this name. */
  authorization?: string | undefined
}

/** Returns the current credential; called before every request. */
export interface CredentialSource {
  /** @throws {VplaneError} `FAILED` with status 401 when no credential exists, see `loginNeeded`. */
  current(): Promise<Credential>
  /** Called after the server refused a credential with 401. Returns whether to retry. */
  renew(refused: Credential): Promise<boolean>
  /** The error for a refusal after retries, with what the user can do. */
  denial(refusal: VplaneError): VplaneError
}

/** Time limits and delays of a client, in milliseconds. Tests shorten them; everything else uses these. */
export const PATIENCE = {
  /** Until a new connection is up, proxy and TLS included. */
  connectMs: 10_000,
  /** Without a byte from the server during a request; kube-apiserver itself answers within 60 s. */
  silenceMs: 70_000,
  /** A connection unused for this long is not reused: after a machine slept, its connections are broken. */
  idleMs: 30_000,
  /** The first delay before a request is sent again; it doubles each time, unless the server names a delay. */
  retryMs: 100,
  /** The longest delay before a request is sent again, whatever the server names. */
  maxRetryMs: 10_000,
  /** Without a byte during a watch. kube-apiserver sends a bookmark about every 60 s. */
  watchSilenceMs: 120_000,
  /** The first delay before a failed watch continues; it doubles each time. */
  watchRetryMs: 100,
  /** The longest delay before a failed watch continues. */
  maxWatchRetryMs: 10_000,
  /** A watch that lasted this long counts as healthy: the delay starts at the first again. */
  watchWellMs: 10_000,
  /** Time between two pings on a forwarded stream; after three without an answer it is closed. */
  pingMs: 30_000,
  /** How long a forwarded stream stays open without a byte after its user has ended writing. */
  lingerMs: 60_000,
}

export type Patience = typeof PATIENCE
