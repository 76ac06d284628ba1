import { z } from 'zod'
import type { ChangeOutcome } from '../../src/cli/results/change-outcome.ts'
import type { MoveOutcome } from '../../src/cli/results/move-outcome.ts'
import type { RepairOutcome } from '../../src/cli/results/repair-outcome.ts'
import type { CertsCheckResult } from '../../src/commands/certs/check.ts'
import type { CertsRotateResult } from '../../src/commands/certs/rotate.ts'
import type { KeyRotationOutcome } from '../../src/cli/base/key-rotation-command.ts'
import { ROTATION_STAGES } from '../../src/control-plane/rotation/rotation.ts'
import type { DebugResult } from '../../src/commands/debug.ts'
import type { EventsResult } from '../../src/commands/events.ts'
import type { MetricsResult } from '../../src/commands/metrics.ts'
import { ALL_COMPONENT_NAMES } from '../../src/control-plane/plane/plane.ts'
import { eventSchema } from './plane-schemas.ts'
import { resultOf } from './result-of.ts'

const text = z.string()

const placeSchema = z.strictObject({
  driver: text,
  namespace: text.nullable(),
  hostContext: text.nullable(),
})

/** The results of the commands for the second day of a plane and all that follow. */
export const DAY_TWO_SCHEMAS: Record<string, z.ZodType> = {
  apply: changeSchema(),
  'certs-check': resultOf<CertsCheckResult>()(
    z.strictObject({
      certificates: z.array(
        z.strictObject({
          plane: text,
          driver: text,
          namespace: text.nullable(),
          name: text.describe('Its place in the PKI of the plane, or the name of a context.'),
          kind: z.enum(['authority', 'leaf', 'key', 'kubeconfig']),
          subject: text.nullable(),
          expiresAt: z.iso.datetime().nullable().describe('Null with keys, which have no end.'),
          ending: z.boolean().describe('It has ended, or does so within the time of --within.'),
        }),
      ),
      unchecked: z
        .array(
          z.strictObject({
            plane: text.nullable().describe('Null when no plane of the driver could be seen.'),
            driver: text,
            namespace: text.nullable(),
            reason: text,
          }),
        )
        .describe('What could not be looked at, where all planes are asked for.'),
    }),
  ),
  'certs-rotate': resultOf<CertsRotateResult>()(
    z.strictObject({
      name: text,
      certificates: z.array(text).describe('Those issued anew, or that would be.'),
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
      files: z.array(text).describe('What is in it.'),
      missing: z.array(text).describe('What could not be had, and why.'),
    }),
  ),
  edit: changeSchema(),
  events: resultOf<EventsResult>()(z.strictObject({ name: text, items: z.array(eventSchema) })),
  metrics: resultOf<MetricsResult>()(
    z.strictObject({
      name: text,
      component: z.enum(ALL_COMPONENT_NAMES).nullable().describe('That of --component.'),
      metrics: z
        .array(
          z.strictObject({
            name: text,
            type: z.enum(['counter', 'gauge']),
            help: text,
            samples: z.array(z.strictObject({ labels: z.record(text, text), value: z.number() })),
          }),
        )
        .describe('Empty with --component, whose metrics are in the text alone.'),
      text: text.describe('As Prometheus reads it.'),
    }),
  ),
  move: resultOf<MoveOutcome>()(
    z.strictObject({
      name: text,
      from: placeSchema,
      to: placeSchema,
      moved: z
        .boolean()
        .describe('False with --dry-run, with --abort, and when it is there already.'),
      aborted: z.boolean(),
      steps: z.array(text).describe('What was done, or would be, in its order.'),
      keys: z
        .int()
        .nullable()
        .describe('How many were brought there and compared; null when none were.'),
      context: text.nullable().describe('The context that leads there now, if one led here.'),
      leftovers: z.array(text).describe('What could not be removed, and why.'),
      volumes: z.array(text).describe('Volume claims of its pods, whose data does not go along.'),
      readdressed: z
        .array(text)
        .describe('Services that get another address there, as far as that is known.'),
    }),
  ),
  repair: resultOf<RepairOutcome>()(
    z.strictObject({
      name: text,
      driver: text,
      namespace: text.nullable(),
      hostContext: text.nullable(),
      repaired: z.boolean().describe('False when nothing was wrong, and with --dry-run.'),
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
              'choose',
              'restore',
              'none',
            ])
            .describe('What puts it right.'),
        }),
      ),
      survivors: z
        .array(z.strictObject({ instance: text, revision: z.int().min(0) }))
        .describe('Members with data of an etcd that has lost its majority.'),
      steps: z.array(text).describe('What was done, or would be, in its order.'),
    }),
  ),
  scale: changeSchema(),
  set: changeSchema(),
  upgrade: changeSchema(),
}

function changeSchema() {
  return resultOf<ChangeOutcome>()(
    z.strictObject({
      name: text,
      driver: text,
      namespace: text.nullable(),
      hostContext: text.nullable(),
      changed: z.boolean().describe('False when there was nothing to do, and with --dry-run.'),
      differences: z.array(text).describe('What differs in the spec.'),
      steps: z.array(text).describe('What was done, or would be, in its order.'),
    }),
  )
}

function keyRotationSchema() {
  return resultOf<KeyRotationOutcome>()(
    z.strictObject({
      name: text,
      driver: text,
      namespace: text.nullable(),
      hostContext: text.nullable(),
      changed: z.boolean().describe('False when there was nothing to do, and with --dry-run.'),
      stages: z.array(z.enum(ROTATION_STAGES)).describe('Those taken, or that would be.'),
      next: z.enum(ROTATION_STAGES).nullable().describe('Null when the rotation is complete.'),
    }),
  )
}
