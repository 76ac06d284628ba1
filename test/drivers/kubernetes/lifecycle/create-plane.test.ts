import { expect, test } from 'vitest'
import type { CreateRequest } from '../../../../src/control-plane/driver/requests.ts'
import type { KubernetesContext } from '../../../../src/drivers/kubernetes/context/context.ts'
import {
  adoptRetainedData,
  createPlane,
} from '../../../../src/drivers/kubernetes/lifecycle/create-plane.ts'
import type { ReadableRecord } from '../../../../src/drivers/kubernetes/record/record-store.ts'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import { fieldAt } from '../../../../src/shared/json-fields.ts'
import { refusal } from '../../../support/api/memory-host-api.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster, requestFor } from '../fake-cluster.ts'
import { planeRecordOf } from '../plane-record-of.ts'
import { RecordingUi } from '../../../support/driver/recording-ui.ts'

const HOUR_MS = 3_600_000
const RECORD = 'secrets/vplane-dev-record'
const KEPT = planeRecordOf('dev', { desired: 'kept', userSpec: { version: '1.35' } })
const SAME = requestFor('dev', { userSpec: { version: '1.35' } })

test('creates a plane: its record, its endpoint, what pods need, and then pods', async () => {
  const cluster = new FakeCluster()

  const { record } = await create(cluster)

  expect(record).toMatchObject({ name: 'dev', desired: 'running', isComplete: true, hasKeys: true })
  expect(cluster.recordOf('dev')).toMatchObject({ id: record.id, isComplete: true })
  expect(cluster.remains()).toEqual(
    expect.arrayContaining([
      'configmaps/vplane-dev-etcd',
      'deployments/vplane-dev-kube-apiserver',
      'deployments/vplane-dev-kube-controller-manager',
      'networkpolicies/vplane-dev-etcd-access',
      'secrets/vplane-dev-ca',
      'secrets/vplane-dev-kube-apiserver',
      RECORD,
      'services/vplane-dev-api',
      'services/vplane-dev-etcd',
      'statefulsets/vplane-dev-etcd',
    ]),
  )
  expect(cluster.remains()).not.toContain('leases/vplane-dev-lock')
})

test('creates a paused plane without a pod, and continues its creation so', async () => {
  const cluster = new FakeCluster()
  const begun = new FakeCluster()
  await begun.store('dev', { desired: 'paused', isComplete: false, hasKeys: false })

  const { record } = await create(cluster, { isPaused: true })
  const continued = await create(begun)

  const paused = { desired: 'paused', isComplete: true, hasKeys: true }
  expect([record, continued.record]).toMatchObject([paused, paused])
  const workloads = [...cluster.api.objects, ...begun.api.objects].filter(([path]) =>
    /(deployments|statefulsets)\//.test(path),
  )
  expect(workloads.map(([, { spec }]) => fieldAt(spec, 'replicas'))).toEqual([0, 0, 0, 0, 0, 0])
})

test.for([
  ['starts', undefined, 'running'],
  ['leaves to its ControlPlane', 'uid-1', 'paused'],
] as const)(
  '%s a plane that was created paused, also an ephemeral one',
  async ([, declaredBy, desired]) => {
    const cluster = new FakeCluster()
    const userSpec = { ephemeral: true }
    const spec = resolveSpec(userSpec, 'kubernetes')
    const replicas = () =>
      [...cluster.api.objects]
        .filter(([path]) => path.includes('/statefulsets/'))
        .map(([, object]) => fieldAt(object, 'spec', 'replicas'))
    const request = { userSpec, spec, declaredBy }
    const paused = await create(cluster, { ...request, isPaused: true })
    const before = replicas()

    const { record } = await create(cluster, request)

    expect(paused.record).toMatchObject({ desired: 'paused', neverStarted: true })
    expect(before).toEqual([0])
    expect(record.desired).toBe(desired)
    expect(replicas()).toEqual(desired === 'running' ? [1] : [0])
  },
)

test('creates no pod before all that it needs exists', async () => {
  const cluster = new FakeCluster()

  await create(cluster)

  const order = cluster.api.writes.map((write) => write.replace(/^(\w+) .*\//, '$1 '))
  const places = [
    order.indexOf('create secrets'),
    order.indexOf('apply vplane-dev-api'),
    order.lastIndexOf('apply vplane-dev-kube-controller-manager'),
  ]
  const firstPod = cluster.api.writes.findIndex((write) => /deployments|statefulsets/.test(write))
  const lastNeeded = cluster.api.writes.findLastIndex((write) =>
    /^apply .*(secrets|configmaps|services)/.test(write),
  )
  expect(places).toEqual(places.toSorted((one, other) => one - other))
  expect(lastNeeded).toBeLessThan(firstPod)
})

test('checks the host before it changes anything, and changes nothing when there are problems', async () => {
  const cluster = new FakeCluster()
  const seen: string[] = []
  const preflight: KubernetesContext['preflight'] = ({ createNamespace, manifests, namespace }) => {
    seen.push(`${namespace} ${createNamespace} ${manifests.length > 10}`)
    return Promise.resolve([{ subject: 'quota', level: 'problem', message: 'no room' }])
  }

  const error = await rejectionOf(create(cluster, {}, { preflight }))

  expect(error.message).toContain('quota: no room')
  expect(seen).toEqual(['team-a true true'])
  expect(cluster.api.writes).toEqual([])
})

test('checks the host when the user may not read the record', async () => {
  const cluster = new FakeCluster({
    onRequest: ({ path, verb }) => {
      if (verb === 'get' && path.endsWith(RECORD)) {
        throw refusal(403, 'secrets is forbidden')
      }
    },
  })
  const problem = { subject: 'rights', level: 'problem', message: 'you may not' } as const
  const preflight = () => Promise.resolve([problem])

  const error = await rejectionOf(create(cluster, {}, { preflight }))

  expect(error.message).toContain('rights: you may not')
  expect(cluster.api.writes).toEqual([])
})

test('skips the check on request', async () => {
  const cluster = new FakeCluster()
  const preflight = () => Promise.reject(new Error('looked'))

  const { record } = await create(cluster, { host: { skipPreflight: true } }, { preflight })

  expect(record.isComplete).toBe(true)
})

test('creates a missing namespace, and records that', async () => {
  const cluster = new FakeCluster()

  const { namespace, record } = await create(cluster, { host: { namespace: 'new' } })

  expect(namespace).toBe('new')
  expect(record.createdNamespace).toBe(true)
  expect(cluster.remains('new')).toContain(RECORD)
})

test('does not change an existing plane, whatever the request is', async () => {
  const cluster = new FakeCluster()
  const first = await create(cluster)
  const before = cluster.api.writes.length

  const again = await create(cluster, { userSpec: { version: '1.35' } })

  expect(again.record).toEqual(first.record)
  expect(cluster.api.writes).toHaveLength(before)
})

test('does not start a paused plane', async () => {
  const cluster = new FakeCluster()
  await cluster.store('dev', { desired: 'paused' })

  const { record } = await create(cluster)

  expect(record.desired).toBe('paused')
  expect(cluster.remains()).toEqual([RECORD])
})

test('creates one plane when two create it at once', async () => {
  const cluster = new FakeCluster()

  const [one, other] = await Promise.all([create(cluster), create(cluster)])

  expect(one?.record.id).toBe(other?.record.id)
  expect(cluster.remains()).not.toContain('leases/vplane-dev-lock')
})

test('reports why a record cannot be read instead of creating another plane', async () => {
  const cluster = new FakeCluster()
  await cluster.store('dev')
  const path = `/api/v1/namespaces/team-a/${RECORD}`
  await cluster.api.patch(path, { data: { record: '' } }, { type: 'merge' })

  const error = await rejectionOf(create(cluster))

  expect(error.message).toContain('the Secret "vplane-dev-record" in namespace "team-a" is damaged')
})

test('records that a plane may share its namespace, also for its retained data', async () => {
  const cluster = new FakeCluster()
  const asked: boolean[] = []
  const preflight: KubernetesContext['preflight'] = ({ shareNamespace }) => {
    asked.push(shareNamespace)
    return Promise.resolve([])
  }

  const first = await create(cluster, { host: { shareNamespace: true } }, { preflight })
  await keep(cluster, first)
  const { record } = await create(cluster, { host: { adopt: true } }, { preflight })

  expect(asked).toEqual([true, true])
  expect(record.sharesNamespace).toBe(true)
})

test('creates a plane again with the retained data and keys', async () => {
  const cluster = new FakeCluster()
  const first = await create(cluster)
  const key = keyOf(cluster)
  await keep(cluster, first)

  const { record } = await create(cluster, { host: { adopt: true } })

  expect(record).toMatchObject({ id: first.record.id, desired: 'running', isComplete: true })
  expect(keyOf(cluster)).toBe(key)
  expect(
    JSON.stringify(cluster.api.objects.get('/api/v1/namespaces/team-a/configmaps/vplane-dev-etcd')),
  ).toContain('existing')
})

test('lets an OpenShift host choose the ids of users', async () => {
  const cluster = new FakeCluster()
  cluster.api.put('/apis/security.openshift.io', {
    apiVersion: 'v1',
    kind: 'APIGroup',
    metadata: {},
  })

  const { record } = await create(cluster)

  expect(record.hostGivesIds).toBe(true)
  const etcd = cluster.api.objects.get(
    '/apis/apps/v1/namespaces/team-a/statefulsets/vplane-dev-etcd',
  )
  expect(JSON.stringify(etcd)).not.toContain('runAsUser')
})

test('completes a plane after an interruption at any step', { timeout: 120_000 }, async () => {
  const whole = new FakeCluster()
  await create(whole)
  const writes = whole.api.writes.length
  expect(writes).toBeGreaterThan(20)

  for (let cut = 1; cut <= writes; cut += 1) {
    let left = cut
    const cluster = new FakeCluster({
      onRequest: ({ verb }) => {
        if (!['get', 'list', 'watch'].includes(verb) && left-- <= 0 && left > -1000) {
          throw refusal(500, 'cut off')
        }
      },
    })
    await create(cluster).catch(() => {})
    const keyBefore = cluster.remains().some((path) => path.startsWith('deployments/'))
      ? keyOf(cluster)
      : undefined
    left = Number.POSITIVE_INFINITY
    // The Lease of the interrupted command has expired.
    cluster.time = new Date(cluster.time.getTime() + HOUR_MS)

    const { record } = await create(cluster)

    // An abandoned Lease remains until a vplane works on the plane.
    const made = cluster.remains().filter((path) => path !== 'leases/vplane-dev-lock')
    expect(made).toEqual(whole.remains())
    expect(record).toMatchObject({ isComplete: true, desired: 'running' })
    expect(keyOf(cluster)).toBe(keyBefore ?? keyOf(cluster))
  }
})

test('asks before it creates a plane with the retained data', async () => {
  const ui = new RecordingUi({ answers: [true] })

  await adoptRetainedData(KEPT, SAME, ui)

  expect(ui.questions).toEqual(['"dev" was deleted and its data kept. Create it with this data?'])
})

test('does not ask when the request has the answer', async () => {
  const ui = new RecordingUi()

  await adoptRetainedData(KEPT, { ...SAME, host: { adopt: true } }, ui)

  expect(ui.questions).toEqual([])
})

test('keeps the data after a no', async () => {
  const error = await rejectionOf(
    adoptRetainedData(KEPT, SAME, new RecordingUi({ answers: [false] })),
  )

  expect(error).toMatchObject({
    code: 'ABORTED',
    message: 'the data of "dev" was left as it is',
    hints: ['to delete the data: vplane delete dev'],
  })
})

test('names the flag when vplane cannot ask', async () => {
  const error = await rejectionOf(adoptRetainedData(KEPT, SAME, new RecordingUi()))

  expect(error.message).toContain('--adopt')
})

test('makes no plane of another spec of it', async () => {
  const other = requestFor('dev', { userSpec: { version: '1.36' }, host: { adopt: true } })

  const error = await rejectionOf(adoptRetainedData(KEPT, other, new RecordingUi()))

  expect(error.code).toBe('CONTROL_PLANE_EXISTS')
  expect(error.message).toContain('the data of the deleted plane "dev" has another spec:')
  expect(error.message).toContain('version')
})

function create(
  cluster: FakeCluster,
  request: Partial<CreateRequest> = {},
  context: Partial<KubernetesContext> = {},
): Promise<ReadableRecord> {
  return createPlane(
    cluster.driverContext(context),
    requestFor('dev', request),
    cluster.operation(),
  )
}

/** Leaves of a plane what a deletion does that keeps its data, as far as its record says. */
async function keep(cluster: FakeCluster, { record }: ReadableRecord): Promise<void> {
  const kept = { ...record, desired: 'kept', isComplete: false, hasData: true }
  const path = `/api/v1/namespaces/team-a/${RECORD}`
  await cluster.api.patch(path, { data: { record: encoded(kept) } }, { type: 'merge' })
}

/** The key of the plane's CA. */
function keyOf(cluster: FakeCluster): string {
  const secret = cluster.api.objects.get('/api/v1/namespaces/team-a/secrets/vplane-dev-ca')
  return String(Object(secret?.['data'])['ca.key'])
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}
