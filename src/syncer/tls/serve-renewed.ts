import type { ServerTls, TlsServer } from './serve-tls.ts'
import type { SyncerFiles, SyncerPki } from './syncer-pki.ts'

/**
 * Serves with the certificate that the syncer has at any time.
 *
 * @param clients which CA the clients may be from
 */
export async function serveRenewed(
  pki: SyncerPki,
  clients: 'authority' | 'frontProxyAuthority',
  serve: (tls: ServerTls) => Promise<Omit<TlsServer, 'port'>>,
): Promise<AsyncDisposable> {
  const tlsOf = (files: SyncerFiles): ServerTls => ({
    certificate: files.serverCertificate,
    key: files.serverKey,
    authorities: files[clients],
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
