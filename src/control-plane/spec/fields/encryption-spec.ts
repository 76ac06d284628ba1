/**
 * Those of kube-apiserver that use a given key of 32 bytes
 * (https://kubernetes.io/docs/tasks/administer-cluster/encrypt-data/#providers).
 */
export const ENCRYPTION_PROVIDERS = ['secretbox', 'aesgcm', 'aescbc'] as const

export type EncryptionProvider = (typeof ENCRYPTION_PROVIDERS)[number]

export interface EncryptionSpec {
  secrets: boolean
  /** @default 'secretbox' */
  provider?: EncryptionProvider
}
