import { z } from 'zod'

const text = z.string()
const textOrNull = z.string().nullable()
const time = z.iso.datetime()

/** What `list` and `describe` say of every plane. */
export const planeFields = {
  name: text,
  driver: text.describe('How it is run: kubernetes or local.'),
  namespace: textOrNull.describe('Host namespace; null with the local driver.'),
  hostContext: textOrNull.describe('Context of the host cluster; null with the local driver.'),
  status: z.enum([
    'Creating',
    'Starting',
    'Ready',
    'NotReady',
    'Stopped',
    'Paused',
    'Fenced',
    'Kept',
    'Unreadable',
  ]),
  reason: textOrNull.describe('Why it is not ready, in one line.'),
  version: textOrNull.describe('Kubernetes version; null when its stored state cannot be read.'),
  connected: z.boolean().describe('A context of the kubeconfig leads to it.'),
  tunnel: z
    .strictObject({
      address: text.describe('Where it listens.'),
      up: z.boolean().describe('Its process lives and its port answers.'),
      problem: textOrNull.describe('Why it cannot reach the plane.'),
    })
    .nullable()
    .describe('The tunnel on this machine that leads to it.'),
  server: textOrNull.describe('Where its API is.'),
  certificatesExpireAt: time.nullable().describe('When the first of its certificates ends.'),
  createdAt: time.nullable(),
  outdated: z.boolean().describe('An older vplane made it, and upgrade brings it up to this one.'),
}

/** A component, in `describe`. */
const componentSchema = z.strictObject({
  name: text,
  state: z.enum(['running', 'starting', 'stopped', 'failed']),
  reason: textOrNull,
  instance: textOrNull.describe('Where it runs: a process id or the name of a pod.'),
  address: textOrNull,
  startedAt: time.nullable(),
  replicas: z
    .strictObject({ wanted: z.int(), ready: z.int() })
    .nullable()
    .describe('Null with the local driver.'),
  image: textOrNull.describe('Null with the local driver.'),
})

/** Something that the host noted, in `describe`. */
export const eventSchema = z.strictObject({
  at: time.describe('When it happened last.'),
  level: z.enum(['normal', 'warning']),
  object: text.describe('Kind and name.'),
  reason: text,
  message: text,
  count: z.int(),
})

/** How the backups of a plane stand. */
const backupSchema = z
  .strictObject({
    last: z
      .strictObject({
        id: text,
        at: time,
        revision: z.int().min(0),
        sizeBytes: z.int().min(0),
      })
      .nullable(),
    failure: z
      .strictObject({ at: time, reason: text, count: z.int().min(1) })
      .nullable()
      .describe('Why there is no later one, and how often in a row that went wrong.'),
    nextAt: time.nullable(),
  })
  .nullable()
  .describe('How its backups stand; null when there are to be none.')

/** Something that is wrong with a plane. */
const alarmSchema = z.strictObject({
  reason: text.describe('One word: `ComponentNotReady`.'),
  subject: text.describe('A component, a member of etcd, `certificates` or `backup`.'),
  message: text,
  since: time,
})

/** What `describe` says beside that of what runs. */
export const detailFields = {
  components: z.array(componentSchema),
  endpoints: z.array(text).describe('Every address of its API; none with the local driver.'),
  rotations: z
    .array(
      z.strictObject({
        keys: z.enum(['ca', 'service-account-key', 'encryption-key']),
        next: z.enum(['prepare', 'switch', 'complete']).describe('The stage that comes next.'),
        cutOff: z.boolean().describe('That stage was begun and cut off.'),
      }),
    )
    .nullable()
    .describe('Rotations of its keys that are not complete; null when its keys cannot be read.'),
  backup: backupSchema,
  lastUsedAt: time
    .nullable()
    .describe('When somebody used it last; null when it does not pause itself.'),
  alarms: z
    .array(alarmSchema)
    .describe('What its keeper finds wrong; empty without a keeper, and of a plane that rests.'),
  events: z.array(eventSchema).describe('Of the last hour, the latest last.'),
}
