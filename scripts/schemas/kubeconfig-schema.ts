import { z } from 'zod'
import type { KubeconfigResult } from '../../src/commands/kubeconfig.ts'
import { resultOf } from './result-of.ts'

const text = z.string()
const object = z.record(z.string(), z.unknown())

/** A kubeconfig as JSON. */
export const CONFIG_SCHEMA = z
  .looseObject({ kind: z.literal('Config') })
  .describe('A Config that kubectl reads.')

/** What `vplane kubeconfig --json` prints. */
export const KUBECONFIG_SCHEMA = resultOf<KubeconfigResult>()(
  z.union([
    z.strictObject({ name: text, kubeconfig: CONFIG_SCHEMA }),
    z
      .strictObject({
        name: text,
        secret: z.strictObject({ name: text, namespace: text }),
        changed: z.boolean().describe('Whether the spec was changed.'),
      })
      .describe('With --secret.'),
    z
      .strictObject({ name: text, grant: z.array(object).describe('Objects of Kubernetes.') })
      .describe('With --print-grant.'),
  ]),
)
