import { planeUserIn } from '../test/support/driver/plane-requests.ts'

/** How a client reaches a server, and what it shows and trusts. */
export interface StaticAccess {
  server: string
  /** Name in the server's certificate, where the address is not. */
  serverName?: string
  certificateAuthority: string
  certificate: string
  key: string
}

/** Reads a kubeconfig that `vplane kubeconfig --embed-credentials` has printed. */
export function accessIn(kubeconfig: string): StaticAccess {
  const { ca: certificateAuthority, cert: certificate, key, server } = planeUserIn(kubeconfig)
  return { server, certificateAuthority, certificate, key }
}

/** A kubeconfig that names nothing outside of itself. JSON, which every reader of YAML takes. */
export function staticKubeconfig(access: StaticAccess): string {
  const { certificate, certificateAuthority, key, server, serverName } = access
  const encode = (text: string) => Buffer.from(text).toString('base64')
  const name = 'static'
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: {
          server,
          'certificate-authority-data': encode(certificateAuthority),
          ...(serverName === undefined ? {} : { 'tls-server-name': serverName }),
        },
      },
    ],
    users: [
      {
        name,
        user: { 'client-certificate-data': encode(certificate), 'client-key-data': encode(key) },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })
}
