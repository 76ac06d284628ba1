import { createHash } from 'node:crypto'
import { VplaneError } from '../../shared/errors.ts'
import { ENCRYPTION_PROVIDERS, type EncryptionProvider } from '../spec/fields/encryption-spec.ts'
import { fieldAt, arrayAt } from '../../shared/json-fields.ts'

/** The name of the file that contains the encryption keys. */
export const ENCRYPTION_FILE = 'encryption.json'

const DEFAULT_PROVIDER: EncryptionProvider = 'secretbox'

/** A key that encrypts Secrets; without it they cannot be decrypted. */
export interface EncryptionKey {
  name: string
  /** 32 random bytes in base64. */
  secret: string
  provider: EncryptionProvider
}

/** A key from 32 random bytes; `number` is unique among all keys that the plane has ever had. */
export function encryptionKey(
  bytes: Uint8Array,
  options: { number?: number; provider?: EncryptionProvider | undefined } = {},
): EncryptionKey {
  const { number = 1, provider = DEFAULT_PROVIDER } = options
  return { name: `key-${number}`, secret: Buffer.from(bytes).toString('base64'), provider }
}

/** The number of a key, unique among all keys that its plane has ever had. */
export function encryptionKeyNumber({ name }: EncryptionKey): number {
  return Number(name.replace(/^key-/, ''))
}

/**
 * The EncryptionConfiguration of kube-apiserver: it encrypts Secrets with the first key, and also reads Secrets that
 * another key or none has encrypted. The provider of a plane never changes.
 */
export function encryptionConfiguration(keys: readonly EncryptionKey[]): string {
  const provider = keys[0]?.provider ?? DEFAULT_PROVIDER
  const written = { [provider]: { keys: keys.map(({ name, secret }) => ({ name, secret })) } }
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [{ resources: ['secrets'], providers: [written, { identity: {} }] }],
  }
  return `${JSON.stringify(configuration, null, 2)}\n`
}

/** Inverts `encryptionConfiguration`. @throws {VplaneError} `FAILED` when the text is damaged. */
export function encryptionKeysOf(configuration: string): [EncryptionKey, ...EncryptionKey[]] {
  const [resource] = arrayAt(parsed(configuration), 'resources')
  const [written] = arrayAt(resource, 'providers')
  const provider = ENCRYPTION_PROVIDERS.find((name) => fieldAt(written, name) !== undefined)
  const [first, ...others] = provider === undefined ? [] : arrayAt(written, provider, 'keys')
  if (provider === undefined || !isKey(first) || !others.every(isKey)) {
    throw new VplaneError('FAILED', `"${ENCRYPTION_FILE}" among the keys of the plane is damaged`)
  }
  const toKey = ({ name, secret }: WrittenKey): EncryptionKey => ({ name, secret, provider })
  return [toKey(first), ...others.map(toKey)]
}

/** Hashes identify keys without revealing them. @throws {VplaneError} `FAILED` when the encryption file is damaged. */
export function encryptionKeyHashes(files: Readonly<Record<string, string>>): string[] {
  const configuration = files[ENCRYPTION_FILE]
  const keys = configuration === undefined ? [] : encryptionKeysOf(configuration)
  return keys.map(({ name, secret }) =>
    createHash('sha256').update(`${name}:${secret}`).digest('hex'),
  )
}

/** The prefix of each value in etcd that a key encrypted. */
export function encryptedPrefix({ name, provider }: EncryptionKey): string {
  return `k8s:enc:${provider}:v1:${name}:`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller reports the damage.
    return undefined
  }
}

type WrittenKey = Pick<EncryptionKey, 'name' | 'secret'>

function isKey(value: unknown): value is WrittenKey {
  return typeof fieldAt(value, 'name') === 'string' && typeof fieldAt(value, 'secret') === 'string'
}
