/**
 * The ways of kube-apiserver to encrypt with a key of 32 bytes that it is given
 * (https://kubernetes.io/docs/tasks/administer-cluster/encrypt-data/#providers).
 */
export const ENCRYPTION_PROVIDERS = ['secretbox', 'aesgcm', 'aescbc'] as const

export type EncryptionProvider = (typeof ENCRYPTION_PROVIDERS)[number]

/** How the Secrets of a plane are stored in etcd. */
export interface EncryptionSpec {
  /** Whether they are encrypted. */
  secrets: boolean
  /** @default 'secretbox' */
  provider?: EncryptionProvider
}
