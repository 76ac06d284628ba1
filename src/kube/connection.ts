import type { VplaneError } from '../shared/errors.ts'

/** Where an API server is, whom to trust there, and who we are. */
export interface KubeConnection {
  /** `https://127.0.0.1:20443`; a path in it goes before every request's path. */
  server: string
  /** CA bundle, PEM. @default the CAs that this machine trusts */
  certificateAuthority?: string | undefined
  /** Client certificate, PEM; with `key`. */
  certificate?: string | undefined
  /** Private key of the client certificate, PEM. */
  key?: string | undefined
  /** Bearer token. */
  token?: string | undefined
  /** The name that the server's certificate has to be for. @default the host of `server` */
  serverName?: string | undefined
  /** Takes any certificate: somebody asked for that by name. @default false */
  isInsecure?: boolean | undefined
  /** The proxy on the way: `http:`, `https:` or `socks5:`, with user and password if it wants them. @default none */
  proxy?: URL | undefined
  /** Sent with every request. @default none */
  headers?: Readonly<Record<string, string | string[]>> | undefined
  /** Credentials that change while the client lives; then `certificate`, `key` and `token` are not looked at. */
  credentials?: CredentialSource | undefined
}

/** What one request proves itself with, and whom it trusts. */
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

/** Gives the credential of the moment; it is asked before every request. */
export interface CredentialSource {
  /** @throws {VplaneError} `FAILED` with status 401 when there is none, see `loginNeeded`. */
  current(): Promise<Credential>
  /** Called when the server refused a credential with 401: whether another try is worth it. */
  renew(refused: Credential): Promise<boolean>
  /** The error for a refusal that stays, in words that say what to do. */
  denial(refusal: VplaneError): VplaneError
}

/** How patient a client is, in milliseconds. Tests shorten it; the defaults hold everywhere else. */
export interface Patience {
  /** Until a new connection is up, proxy and TLS included. */
  connectMs: number
  /** Without a byte from the server during a request; kube-apiserver itself answers within 60 s. */
  silenceMs: number
  /** A connection that nobody used for so long is not used again: a laptop that slept has only broken ones. */
  idleMs: number
  /** The first delay before a request is sent again; it doubles each time, unless the server names a delay. */
  retryMs: number
  /** The longest delay before a request is sent again, whatever the server names. */
  maxRetryMs: number
  /** Without a byte during a watch. kube-apiserver sends a bookmark about every 60 s. */
  watchSilenceMs: number
  /** The first delay before a watch that failed goes on; it doubles each time. */
  watchRetryMs: number
  /** The longest delay before a watch that failed goes on. */
  maxWatchRetryMs: number
  /** A watch that lived for so long was well: the next delay is the first again. */
  watchWellMs: number
  /** Time between two signs of life on a forwarded stream; after three without an answer it is dead. */
  pingMs: number
  /** How long a forwarded stream stays open without a byte when its user has said all that there is to say. */
  lingerMs: number
}

export const PATIENCE: Patience = {
  connectMs: 10_000,
  silenceMs: 70_000,
  idleMs: 30_000,
  retryMs: 100,
  maxRetryMs: 10_000,
  watchSilenceMs: 120_000,
  watchRetryMs: 100,
  maxWatchRetryMs: 10_000,
  watchWellMs: 10_000,
  pingMs: 30_000,
  lingerMs: 60_000,
}
