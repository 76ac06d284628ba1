/** Those that use a given 32-byte key (https://kubernetes.io/docs/tasks/administer-cluster/encrypt-data/#providers). */
export const ENCRYPTION_PROVIDERS = ['secretbox', 'aesgcm', 'aescbc'] as const

export type EncryptionProvider = (typeof ENCRYPTION_PROVIDERS)[number]

export interface EncryptionSpec {
  secrets: boolean
  /** @default 'secretbox' */
  provider?: EncryptionProvider
}
