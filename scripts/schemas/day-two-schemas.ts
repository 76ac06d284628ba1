import { z } from 'zod'
import type { ChangeOutcome } from '../../src/cli/results/change-outcome.ts'
import type { MoveOutcome } from '../../src/cli/results/move-outcome.ts'
import type { RepairOutcome } from '../../src/cli/results/repair-outcome.ts'
import type { SeveralResult } from '../../src/cli/results/several-result.ts'
import type { CertsCheckResult } from '../../src/commands/certs/check.ts'
import type { CertsRotateResult } from '../../src/commands/certs/rotate.ts'
import type { KeyRotationOutcome } from '../../src/cli/base/key-rotation-command.ts'
import { ROTATION_STAGES } from '../../src/control-plane/rotation/rotation.ts'
import type { AdoptResult } from '../../src/commands/adopt.ts'
import type { DebugResult } from '../../src/commands/debug.ts'
import type { EventsResult } from '../../src/commands/events.ts'
import type { MetricsResult } from '../../src/commands/metrics.ts'
import { ALL_COMPONENT_NAMES } from '../../src/control-plane/plane/plane.ts'
import { eventSchema, operationSchema } from './plane-schemas.ts'
import { stepsSchema } from './step-schema.ts'
import { resultOf } from './result-of.ts'
import { orSeveral } from './several-schema.ts'

const text = z.string()

const placeSchema = z.strictObject({
  driver: text,
  namespace: text.nullable(),
  hostContext: text.nullable(),
})

/** The results of the commands that change, repair and observe existing planes. */
export const DAY_TWO_SCHEMAS: Record<string, z.ZodType> = {
  adopt: ownershipSchema(),
  release: ownershipSchema(),
  apply: changeSchema(),
  'certs-check': resultOf<CertsCheckResult>()(
    z.strictObject({
      certificates: z.array(
        z.strictObject({
          plane: text,
          driver: text,
          namespace: text.nullable(),
          name: text.describe('Its path in the PKI of the plane, or the name of a context.'),
          kind: z.enum(['authority', 'leaf', 'key', 'kubeconfig']),
          subject: text.nullable(),
          expiresAt: z.iso.datetime().nullable().describe('Null for keys, which do not expire.'),
          ending: z.boolean().describe('Whether it has expired, or expires within --within.'),
        }),
      ),
      unchecked: z
        .array(
          z.strictObject({
            plane: text
              .nullable()
              .describe('Null if the planes of the driver could not be listed.'),
            driver: text,
            namespace: text.nullable(),
            reason: text,
          }),
        )
        .describe('Planes that could not be checked; only without NAME.'),
    }),
  ),
  'certs-rotate': resultOf<CertsRotateResult>()(
    z.strictObject({
      name: text,
      certificates: z
        .array(text)
        .describe('The renewed certificates; with --dry-run, those to renew.'),
      dryRun: z.boolean(),
    }),
  ),
  'certs-rotate-ca': keyRotationSchema(),
  'certs-rotate-encryption-key': keyRotationSchema(),
  'certs-rotate-service-account-key': keyRotationSchema(),
  debug: resultOf<DebugResult>()(
    z.strictObject({
      name: text,
      file: text,
      sizeBytes: z.int().min(0),
      files: z.array(text).describe('The files in the archive.'),
      missing: z.array(text).describe('What could not be collected, and why.'),
    }),
  ),
  edit: changeSchema(),
  events: resultOf<EventsResult>()(
    z.strictObject({ name: text, items: z.array(eventSchema), operation: operationSchema }),
  ),
  metrics: resultOf<MetricsResult>()(
    z.strictObject({
      name: text,
      component: z.enum(ALL_COMPONENT_NAMES).nullable().describe('The value of --component.'),
      metrics: z
        .array(
          z.strictObject({
            name: text,
            type: z.enum(['counter', 'gauge']),
            help: text,
            samples: z.array(z.strictObject({ labels: z.record(text, text), value: z.number() })),
          }),
        )
        .describe('Empty with --component: `text` has its metrics.'),
      text: text.describe('The metrics in the text format of Prometheus.'),
    }),
  ),
  move: resultOf<MoveOutcome>()(
    z.strictObject({
      name: text,
      from: placeSchema,
      to: placeSchema,
      moved: z
        .boolean()
        .describe('False with --dry-run, with --abort, and if the plane already is at the target.'),
      aborted: z.boolean(),
      steps: stepsSchema,
      keys: z
        .int()
        .nullable()
        .describe('Number of keys that were copied and compared; null if none were.'),
      context: text
        .nullable()
        .describe(
          'The context that points at the target now; null if no context pointed at the source.',
        ),
      leftovers: z.array(text).describe('What could not be removed from the source, and why.'),
      volumes: z.array(text).describe('Volume claims of its pods, whose data is not moved.'),
      readdressed: z
        .array(text)
        .describe('Services that get another IP address at the target, as far as known.'),
    }),
  ),
  repair: resultOf<RepairOutcome>()(
    z.strictObject({
      name: text,
      driver: text,
      namespace: text.nullable(),
      hostContext: text.nullable(),
      repaired: z.boolean().describe('False if nothing was wrong, and with --dry-run.'),
      faults: z.array(
        z.strictObject({
          component: text,
          instance: text.describe('A pod, a process, or the component as a whole.'),
          reason: text,
          remedy: z
            .enum([
              'start',
              'restart',
              'replace',
              'remove',
              'free-space',
              'disarm',
              'choose',
              'restore',
              'none',
            ])
            .describe('What repairs it.'),
        }),
      ),
      survivors: z
        .array(z.strictObject({ instance: text, revision: z.int().min(0) }))
        .describe('If etcd has lost its majority: its members with data.'),
      steps: stepsSchema,
    }),
  ),
  scale: changeSchema(),
  set: changeSchema(),
  upgrade: resultOf<ChangeOutcome | SeveralResult<ChangeOutcome>>()(orSeveral(changeFields())),
}

function changeSchema() {
  return resultOf<ChangeOutcome>()(changeFields())
}

function changeFields() {
  return z.strictObject({
    name: text,
    driver: text,
    namespace: text.nullable(),
    hostContext: text.nullable(),
    changed: z.boolean().describe('False if nothing had to change, and with --dry-run.'),
    differences: z.array(text).describe('The differences in the spec.'),
    steps: stepsSchema,
  })
}

function keyRotationSchema() {
  return resultOf<KeyRotationOutcome>()(
    z.strictObject({
      name: text,
      driver: text,
      namespace: text.nullable(),
      hostContext: text.nullable(),
      changed: z.boolean().describe('False if nothing had to change, and with --dry-run.'),
      stages: z
        .array(z.enum(ROTATION_STAGES))
        .describe('The stages that were done; with --dry-run, those to do.'),
      steps: stepsSchema,
      next: z
        .enum(ROTATION_STAGES)
        .nullable()
        .describe('The next stage; null when the rotation is complete.'),
    }),
  )
}

function ownershipSchema(): z.ZodType {
  return resultOf<AdoptResult>()(
    placeSchema.extend({
      name: text,
      changed: z.boolean().describe('False when it was so before.'),
    }),
  )
}
