import type { ServerTls } from './server-tls.ts'
import type { SyncerFiles } from './syncer-files.ts'
import type { SyncerPki } from './syncer-pki.ts'

/** A server that can become another. */
export interface RenewableServer extends AsyncDisposable {
  /** Certificate, key and authorities for connections from now on. @throws {VplaneError} `FAILED`, and keeps what it has */
  setTls(tls: ServerTls): void
}

export interface RenewedOptions {
  pki: SyncerPki
  /** Which CAs the clients may be from. */
  authorities: (files: SyncerFiles) => string
}

/** Serves with the certificate that the syncer has at any time. */
export async function serveRenewed(
  { authorities, pki }: RenewedOptions,
  serve: (tls: ServerTls) => Promise<RenewableServer>,
): Promise<AsyncDisposable> {
  const tlsOf = (files: SyncerFiles): ServerTls => ({
    certificate: files.serverCertificate,
    key: files.serverKey,
    authorities: authorities(files),
  })
  const before = pki.current
  await using served = new AsyncDisposableStack()
  const server = served.use(await serve(tlsOf(before)))
  served.use(pki.onRenewed((files) => server.setTls(tlsOf(files))))
  // They may have been renewed while it began to listen.
  if (pki.current !== before) {
    server.setTls(tlsOf(pki.current))
  }
  return served.move()
}
