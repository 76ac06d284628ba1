import { z } from 'zod'
import type { PlanStep } from '../../src/shared/plan-step.ts'
import { resultOf } from './result-of.ts'

const text = z.string()
const place = text.describe('Where that is: `driver local`.')
const volumes = z.array(text).describe('Claims whose volumes are deleted with it.')

/** Steps of several actions that are about the same. */
function stepsOf<const Action extends string, Shape extends z.ZodRawShape>(
  actions: readonly Action[],
  about: Shape,
) {
  const stage = text
    .exactOptional()
    .describe('Of a rotation, or of an upgrade with several: `Kubernetes 1.36.3 as 1.35.4`.')
  return z.strictObject({ action: z.enum(actions), ...about, stage })
}

/** A step of what a command does, or would do with --dry-run. */
export const stepSchema = z.union([
  stepsOf(['create-object', 'change-object', 'delete-object'], {
    kind: text.describe('Of an object on the host: `ConfigMap`.'),
    name: text,
  }),
  stepsOf(
    [
      'create-component',
      'start-component',
      'stop-component',
      'restart-component',
      'replace-pods',
      'change-paused-component',
    ],
    { component: text },
  ),
  stepsOf(['create-stopped'], { name: text, place }),
  stepsOf(['scale-component'], { component: text, from: z.number(), to: z.number() }),
  stepsOf(['start-instance', 'restart-instance'], { instance: text.describe('A pod or process.') }),
  stepsOf(['move-endpoint'], { address: text.describe('The address that it has now.') }),
  stepsOf(['readdress-services'], { services: z.array(text).describe('`default/web`.') }),
  stepsOf(['start-pods'], {
    workloads: z.array(text).describe('`Deployment default/web, 3 pods`.'),
  }),
  stepsOf(['stop-pods'], { pods: z.array(text).describe('`default/web-0`.') }),
  stepsOf(['delete-synced'], { count: z.number() }),
  stepsOf(['add-member', 'replace-data'], { member: text.describe('A member of etcd.') }),
  stepsOf(['remove-member'], { member: text, withVolume: z.boolean() }),
  stepsOf(['save-survivor'], {
    members: z.array(text).describe('Members of etcd with data, of which one has the latest.'),
    revision: z.number(),
    more: z.boolean().describe('Its log may contain later revisions.'),
  }),
  stepsOf(['rotate-keys'], {
    keys: text,
    components: z.array(text).describe('Those that are replaced.'),
  }),
  stepsOf(['renew-certificates'], { certificates: z.array(text) }),
  stepsOf(['load-data', 'load-bundle'], { source: text }),
  stepsOf(['create-from-bundle'], {
    name: text,
    asClone: z.boolean().describe('With new CAs and keys.'),
  }),
  stepsOf(['delete-snapshots'], { snapshots: z.array(text) }),
  stepsOf(['delete-volumes'], { volumes }),
  stepsOf(['delete-all'], { keepData: z.boolean() }),
  stepsOf(['delete-former', 'delete-source'], { place, volumes }),
  stepsOf(['fence', 'stop-unless-used', 'delete-arrival', 'leave-paused', 'start-again'], {
    place,
  }),
  stepsOf(
    [
      'stop-components',
      'stop-others',
      'start-components',
      'continue-change',
      'renew-server-certificate',
      'free-space',
      'disarm-alarms',
      'wait-for-majority',
      'regain-majority',
      'start-new-etcd',
      'take-snapshot',
      'remove-context',
      'transfer-data',
      'start-there',
      'point-context',
      'pause-there',
      'keep-fenced',
    ],
    {},
  ),
])

resultOf<PlanStep>()(stepSchema)

export const stepsSchema = z
  .array(stepSchema)
  .describe('The steps in order; with --dry-run, those that would be done.')

/** The fields of a command that starts or stops a plane. */
export function changedTo<Status extends string>(status: Status) {
  const steps = z.array(stepSchema).describe('The steps that would be done; only with --dry-run.')
  return {
    name: z.string(),
    status: z.literal(status).nullable().describe('Null with --dry-run.'),
    steps,
  }
}
