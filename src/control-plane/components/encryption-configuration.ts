import { createHash } from 'node:crypto'
import { VplaneError } from '../../shared/errors.ts'
import { ENCRYPTION_PROVIDERS, type EncryptionProvider } from '../spec/fields/encryption-spec.ts'
import { fieldAt, arrayAt } from '../../shared/json-fields.ts'

/** Name of the file among a plane's keys. */
export const ENCRYPTION_FILE = 'encryption.json'

const DEFAULT_PROVIDER: EncryptionProvider = 'secretbox'

/** A key that Secrets are encrypted with; without it they cannot be read again. */
export interface EncryptionKey {
  name: string
  /** 32 random bytes in base64. */
  secret: string
  /** How it encrypts. */
  provider: EncryptionProvider
}

/** The key of these 32 random bytes. */
export function encryptionKey(
  bytes: Uint8Array,
  {
    number = 1,
    provider = DEFAULT_PROVIDER,
  }: {
    /** Tells it from the others that a plane has had. @default 1 */
    number?: number
    /** @default 'secretbox' */
    provider?: EncryptionProvider | undefined
  } = {},
): EncryptionKey {
  return { name: `key-${number}`, secret: Buffer.from(bytes).toString('base64'), provider }
}

/** The number of a key among those that its plane has had. */
export function encryptionKeyNumber({ name }: EncryptionKey): number {
  return Number(name.replace(/^key-/, ''))
}

/**
 * The EncryptionConfiguration of kube-apiserver: Secrets are written with the first key, and read with any of them or as
 * they are. A plane encrypts in one way for as long as it lives.
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

/**
 * The keys of an EncryptionConfiguration that `encryptionConfiguration` has made, the one that writes first.
 *
 * @throws {VplaneError} `FAILED` when it is none.
 */
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

/**
 * What tells the keys of a plane's Secrets from all others and says nothing of them: hashes of those in the file that is
 * among its keys; none when it has no such file.
 *
 * @throws {VplaneError} `FAILED` when that is damaged.
 */
export function encryptionKeyHashes(files: Readonly<Record<string, string>>): string[] {
  const configuration = files[ENCRYPTION_FILE]
  const keys = configuration === undefined ? [] : encryptionKeysOf(configuration)
  return keys.map(({ name, secret }) =>
    createHash('sha256').update(`${name}:${secret}`).digest('hex'),
  )
}

/** What stands before each value in etcd that was encrypted with a key. */
export function encryptedPrefix({ name, provider }: EncryptionKey): string {
  return `k8s:enc:${provider}:v1:${name}:`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Cut off or not ours: the caller says so.
    return undefined
  }
}

type WrittenKey = Pick<EncryptionKey, 'name' | 'secret'>

function isKey(value: unknown): value is WrittenKey {
  return typeof fieldAt(value, 'name') === 'string' && typeof fieldAt(value, 'secret') === 'string'
}
