import { z } from 'zod'
import { ENCRYPTION_PROVIDERS } from './encryption-spec.ts'

export const encryptionField = z
  .strictObject({
    secrets: z
      .boolean()
      .describe('The default is true with the kubernetes driver and false with the local one.'),
    provider: z
      .enum(ENCRYPTION_PROVIDERS)
      .exactOptional()
      .describe(
        'What writes them, "secretbox" by default; what is not encrypted can be read besides. "aesgcm" wants a rotation of its key every 200,000 writes.',
      ),
  })
  .optional()
  .describe('How Secrets are encrypted in etcd.')
