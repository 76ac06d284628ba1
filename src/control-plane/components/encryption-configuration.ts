import { VplaneError } from '../../shared/errors.ts'
import { fieldOf } from '../../shared/stored-format.ts'

/** Name of the file among a plane's keys. */
export const ENCRYPTION_FILE = 'encryption.json'

/** A key that Secrets are encrypted with; without it they cannot be read again. */
export interface EncryptionKey {
  name: string
  /** 32 random bytes in base64. */
  secret: string
}

/** The key of these 32 random bytes. `number` tells it from the others that a plane has had. @default 1 */
export function encryptionKey(bytes: Uint8Array, number = 1): EncryptionKey {
  return { name: `key-${number}`, secret: Buffer.from(bytes).toString('base64') }
}

/** The number of a key among those that its plane has had. */
export function encryptionKeyNumber({ name }: EncryptionKey): number {
  return Number(name.replace(/^key-/, ''))
}

/**
 * The EncryptionConfiguration of kube-apiserver: Secrets are written with the first key, and read with any of them or as
 * they are.
 */
export function encryptionConfiguration(keys: readonly EncryptionKey[]): string {
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [{ resources: ['secrets'], providers: [{ secretbox: { keys } }, { identity: {} }] }],
  }
  return `${JSON.stringify(configuration, null, 2)}\n`
}

/**
 * The keys of an EncryptionConfiguration that `encryptionConfiguration` has made, the one that writes first.
 *
 * @throws {VplaneError} `FAILED` when it is none.
 */
export function encryptionKeysOf(configuration: string): [EncryptionKey, ...EncryptionKey[]] {
  const { resources } = Object(parsed(configuration))
  const providers = fieldOf(fieldOf(resources, '0'), 'providers')
  const keys = fieldOf(fieldOf(fieldOf(providers, '0'), 'secretbox'), 'keys')
  const [first, ...others]: unknown[] = Array.isArray(keys) ? keys : []
  if (!isKey(first) || !others.every(isKey)) {
    throw new VplaneError('FAILED', `"${ENCRYPTION_FILE}" among the keys of the plane is damaged`)
  }
  return [first, ...others]
}

/** What stands before each value in etcd that was encrypted with a key. */
export function encryptedPrefix({ name }: EncryptionKey): string {
  return `k8s:enc:secretbox:v1:${name}:`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Cut off or not ours: the caller says so.
    return undefined
  }
}

function isKey(value: unknown): value is EncryptionKey {
  return typeof fieldOf(value, 'name') === 'string' && typeof fieldOf(value, 'secret') === 'string'
}
