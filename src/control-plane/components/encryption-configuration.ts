/** Name of the file among a plane's keys. */
export const ENCRYPTION_FILE = 'encryption.json'

/**
 * The EncryptionConfiguration of kube-apiserver: Secrets are written with the key, and read with it or as they are.
 *
 * @param key 32 random bytes; without them the Secrets of the plane cannot be read again.
 */
export function encryptionConfiguration(key: Uint8Array): string {
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [
      {
        resources: ['secrets'],
        providers: [
          { secretbox: { keys: [{ name: 'key-1', secret: Buffer.from(key).toString('base64') }] } },
          { identity: {} },
        ],
      },
    ],
  }
  return `${JSON.stringify(configuration, null, 2)}\n`
}
