import { z } from 'zod'

const text = z.string()
const textOrNull = z.string().nullable()
const time = z.iso.datetime()

/** What `list` and `describe` report about every plane. */
export const planeFields = {
  name: text,
  driver: text.describe('How it runs: kubernetes or local.'),
  namespace: textOrNull.describe('Host namespace; null with the local driver.'),
  hostContext: textOrNull.describe('Context of the host cluster; null with the local driver.'),
  labels: z.record(text, text),
  status: z.enum([
    'Creating',
    'Starting',
    'Ready',
    'Changing',
    'NotReady',
    'Stopped',
    'Paused',
    'Fenced',
    'Kept',
    'Unreadable',
  ]),
  reason: textOrNull.describe('Why it is not ready, in one line; null if it is.'),
  version: textOrNull.describe('Kubernetes version; null if its stored state cannot be read.'),
  connected: z.boolean().describe('Whether a context in the kubeconfig points at it.'),
  tunnel: z
    .strictObject({
      address: text.describe('Address that it listens on.'),
      up: z.boolean().describe('Whether its process runs and its port answers.'),
      problem: textOrNull.describe('Why it cannot reach the plane.'),
    })
    .nullable()
    .describe('The tunnel to it on this machine.'),
  server: textOrNull.describe('Address of its API.'),
  certificatesExpireAt: time.nullable().describe('When its first certificate expires.'),
  createdAt: time.nullable(),
  outdated: z
    .boolean()
    .describe('Whether an older vplane created it; `upgrade` updates it to this one.'),
}

/** A component, in `describe`. */
const componentSchema = z.strictObject({
  name: text,
  state: z.enum(['running', 'starting', 'stopped', 'failed']),
  reason: textOrNull,
  instance: textOrNull.describe('A process id or the name of a pod.'),
  address: textOrNull,
  startedAt: time.nullable(),
  replicas: z
    .strictObject({ wanted: z.int(), ready: z.int() })
    .nullable()
    .describe('Null with the local driver.'),
  image: textOrNull.describe('Null with the local driver.'),
})

/** An event of the host, in `describe`. */
export const eventSchema = z.strictObject({
  at: time.describe('When it last happened.'),
  level: z.enum(['normal', 'warning']),
  object: text.describe('Kind and name.'),
  reason: text,
  message: text,
  count: z.int(),
})

/** The state of the backups of a plane. */
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
      .describe('The last failure since then; `count` is the number of failures in a row.'),
    nextAt: time.nullable(),
  })
  .nullable()
  .describe('The state of its backups; null if the spec asks for none.')

/** Something that is wrong with a plane. */
const alarmSchema = z.strictObject({
  reason: text.describe('One word, such as `ComponentNotReady`.'),
  subject: text.describe('A component, a member of etcd, `certificates` or `backup`.'),
  message: text,
  since: time,
})

export const operationSchema = z
  .strictObject({
    kind: text.describe('`change`, `repair`.'),
    step: text.describe('The last step that began.'),
    since: time.describe('When it began, or was continued.'),
    at: time.describe('When that step began.'),
    holder: text.describe('The vplane that does it: machine, process and a unique id.'),
    interrupted: z.boolean().describe('No vplane continues it by itself.'),
    hints: z.array(text).describe('The commands that continue it; empty while it is under way.'),
  })
  .nullable()
  .describe('The operation that is under way or was interrupted; null with the local driver.')

const wakesSchema = z
  .strictObject({
    count: z.number().int().describe('All wakes.'),
    recent: z
      .array(
        z.strictObject({
          at: time,
          by: text.nullable().describe('The client; null if unknown.'),
          serverName: text.nullable().describe('The server that the client asked for, if any.'),
          seconds: z.number().describe('From the connection until the API was ready.'),
        }),
      )
      .describe('The last ten wakes, the latest last.'),
    staysAwake: z
      .strictObject({ since: time, reason: text })
      .nullable()
      .describe('Why it does not pause itself although nobody uses it; null if it does.'),
  })
  .nullable()
  .describe('How clients that connect wake it; null where only contexts do.')

/** What `describe` reports besides the fields of `list`. */
export const detailFields = {
  components: z.array(componentSchema),
  endpoints: z.array(text).describe('All addresses of its API; none with the local driver.'),
  rotations: z
    .array(
      z.strictObject({
        keys: z.enum(['ca', 'service-account-key', 'encryption-key']),
        next: z.enum(['prepare', 'switch', 'complete']).describe('The next stage.'),
        cutOff: z.boolean().describe('Whether that stage was started and interrupted.'),
      }),
    )
    .nullable()
    .describe('Key rotations in progress; null if its keys cannot be read.'),
  backup: backupSchema,
  lastUsedAt: time.nullable().describe('When it was last used; null without an idle time.'),
  wakes: wakesSchema,
  alarms: z
    .array(alarmSchema)
    .describe('Alarms of its keeper; empty without a keeper, and while the plane is paused.'),
  networkPolicies: z
    .enum(['enforced', 'ignored'])
    .nullable()
    .describe(
      'Whether the host enforces NetworkPolicies; null if the control plane runs no pods, or is not known yet.',
    ),
  events: z.array(eventSchema).describe('Events of the last hour, the latest last.'),
  operation: operationSchema,
}
