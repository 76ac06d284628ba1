import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'

/** The keys of ServiceAccount tokens, PEM, by file name. */
export interface ServiceAccountKeys {
  'sa.key': string
  /** All public keys that verify tokens: a rotation adds a key here before it signs with it. */
  'sa.pub': string
}

/** Creates the first keys of a plane's ServiceAccount tokens: RSA with 2048 bits, which every client can verify. */
export async function createServiceAccountKeys(): Promise<ServiceAccountKeys> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return { 'sa.key': privateKey, 'sa.pub': publicKey }
}
