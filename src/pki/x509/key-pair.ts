import type { KeyObject } from 'node:crypto'
import { generateKeyPairSync } from 'node:crypto'

/** The keys of certificates: ECDSA on P-256 (0.1 ms to make) or RSA with 2048 bits (about 40 ms). */
export type KeyAlgorithm = 'ecdsa' | 'rsa'

/** A key and the public half of it as certificates hold it. */
export interface KeyPair {
  privateKey: KeyObject
  /** SubjectPublicKeyInfo, DER. */
  publicKeyDer: Buffer
}

/** Makes a key of its own for one certificate. */
export function createKeyPair(algorithm: KeyAlgorithm): KeyPair {
  const { privateKey, publicKey } =
    algorithm === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { privateKey, publicKeyDer: publicKey.export({ type: 'spki', format: 'der' }) }
}

/** The PEM text (PKCS #8) of a private key. */
export function formatPrivateKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}
