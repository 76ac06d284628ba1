import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:https'
import { listenOn } from './fake-api-server.ts'
import { createAuthority } from '../../../src/pki/issue/create-authority.ts'
import { issueCertificate } from '../../../src/pki/issue/issue-certificate.ts'

export type OidcIssuer = Awaited<ReturnType<typeof startOidcIssuer>>

/** Who says who someone is, by OpenID Connect, on an address of this machine. */
export async function startOidcIssuer(address: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const shared = { algorithm: 'ecdsa', now: new Date(), lifetimeMs: 3_600_000 } as const
  const authority = createAuthority({ ...shared, commonName: 'issuer-ca' })
  const { certificate, key } = issueCertificate(authority, {
    ...shared,
    commonName: 'issuer',
    usages: ['serverAuth'],
    sans: [address],
  })
  const header = { alg: 'ES256', kid: 'key-1', typ: 'JWT' }
  const pages: Record<string, () => object> = {
    '/.well-known/openid-configuration': () => ({
      issuer: url,
      jwks_uri: `${url}/keys`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    }),
    '/keys': () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), ...header, use: 'sig' }] }),
  }
  const asked: string[] = []
  const server = createServer({ cert: certificate, key }, ({ url: path = '' }, response) => {
    asked.push(path)
    const page = pages[path]
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(page?.() ?? {}))
  })
  const url = `https://${address}:${await listenOn(address, server)}`
  return {
    url,
    /** Who knows it by its certificate: PEM. */
    certificateAuthority: authority.certificate,
    /** Paths that were asked for. */
    asked,
    /** A token with claims besides issuer and times; it lives for five minutes. */
    token: (claims: Record<string, unknown>) => {
      const now = Math.floor(Date.now() / 1000)
      const payload = { iss: url, iat: now - 5, exp: now + 300, ...claims }
      const signed = [header, payload].map(toBase64Url).join('.')
      const signature = sign('sha256', Buffer.from(signed), {
        key: privateKey,
        dsaEncoding: 'ieee-p1363',
      })
      return `${signed}.${signature.toString('base64url')}`
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function toBase64Url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
