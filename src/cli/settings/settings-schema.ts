import { isAbsolute } from 'node:path'
import * as z from 'zod'
import { parseKubernetesVersion } from '../../control-plane/spec/kubernetes-version.ts'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { parseDuration } from '../../shared/text/duration.ts'
import { hintTexts } from '../catalog/hint-text.ts'
import type { SettingKey } from './setting-keys.ts'

const text = z.string('it must be text; put it in quotes')

/** A string that `parse` does not refuse. */
function parsedBy(parse: (text: string) => unknown) {
  return text.superRefine((given, context) => {
    try {
      parse(given)
    } catch (error) {
      context.addIssue({ code: 'custom', message: reasonOf(error) })
    }
  })
}

/** The settings as a user writes them, all optional. */
export const settingsSchema = z.strictObject({
  driver: z.enum(['kubernetes', 'local'], 'it must be kubernetes or local').optional(),
  version: parsedBy(parseKubernetesVersion).optional(),
  timeout: parsedBy(parseDuration).optional(),
  namespace: text
    .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'it must be the name of a namespace')
    .optional(),
  hostContext: text.min(1).optional(),
  preset: z.enum(['nano', 'small', 'ha'], 'it must be nano, small or ha').optional(),
  storageClass: text
    .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, 'it must be the name of a StorageClass')
    .optional(),
  imageRegistry: text
    .regex(
      /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?(\/[a-z0-9._/-]*[a-z0-9])?$/,
      'it must be a registry such as "registry.example.com/mirror"',
    )
    .optional(),
  helperImage: text.min(1).optional(),
  binDir: text.refine(isAbsolute, 'it must be an absolute path').optional(),
  mirror: z.url({ protocol: /^https?$/, error: 'it must be an http or https URL' }).optional(),
  offline: z.boolean('it must be true or false').optional(),
  connect: z.boolean('it must be true or false').optional(),
  wait: z.boolean('it must be true or false').optional(),
}) satisfies z.ZodType<Partial<Record<SettingKey, unknown>>>

export type RawSettings = z.infer<typeof settingsSchema>

/** The keys that take true or false. */
export const BOOLEAN_KEYS: readonly SettingKey[] = ['offline', 'connect', 'wait']

function reasonOf(error: unknown): string {
  const hints = error instanceof VplaneError ? hintTexts(error.hints) : []
  return [messageOf(error), ...hints].join('; ')
}
