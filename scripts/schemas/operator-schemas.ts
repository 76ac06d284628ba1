import { z } from 'zod'
import type {
  OperatorResult,
  OperatorUninstallResult,
} from '../../src/cli/results/operator-result.ts'
import { resultOf } from './result-of.ts'

const text = z.string()

const operator = resultOf<OperatorResult>()(
  z.strictObject({
    namespace: text,
    scope: z.enum(['cluster', 'namespace']),
    version: text.describe('Version of vplane that installed it.'),
    image: text.nullable(),
    helmRelease: text
      .nullable()
      .describe('The Helm release that has it; null if vplane installed it.'),
    replicas: z.strictObject({ wanted: z.int(), ready: z.int() }),
    leader: text.nullable().describe('The pod that works; null while none does.'),
    controlPlanes: z.array(z.strictObject({ name: text, namespace: text, ready: z.boolean() })),
  }),
)

/** The results of the commands for operators. */
export const OPERATOR_SCHEMAS: Record<string, z.ZodType> = {
  'operator-install': operator,
  'operator-status': operator,
  'operator-upgrade': operator,
  'operator-uninstall': resultOf<OperatorUninstallResult>()(
    z.strictObject({
      namespace: text,
      released: z.array(text).describe('The planes that it kept, as NAMESPACE/NAME.'),
      helmRelease: text
        .nullable()
        .describe('The Helm release that has the stopped operator; null if vplane removed it.'),
    }),
  ),
}
