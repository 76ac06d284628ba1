/** Where an API server is, whom to trust there, and who we are. */
export interface KubeConnection {
  /** `https://127.0.0.1:20443`; a path in it goes before every request's path. */
  server: string
  /** CA bundle, PEM. */
  certificateAuthority: string
  /** Client certificate, PEM; with `key`. */
  certificate?: string
  /** Private key of the client certificate, PEM. */
  key?: string
  /** Bearer token. */
  token?: string
}

/** How patient a client is, in milliseconds. Tests shorten it; the defaults hold everywhere else. */
export interface Patience {
  /** Until a new connection is up, TLS included. */
  connectMs: number
  /** Without a byte from the server during a request; kube-apiserver itself answers within 60 s. */
  silenceMs: number
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
}

export const PATIENCE: Patience = {
  connectMs: 10_000,
  silenceMs: 70_000,
  retryMs: 100,
  maxRetryMs: 10_000,
  watchSilenceMs: 120_000,
  watchRetryMs: 100,
  maxWatchRetryMs: 10_000,
  watchWellMs: 10_000,
}
