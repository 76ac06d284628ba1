import { hintTexts } from '../../../../src/cli/catalog/hint-text.ts'
import { expect, test } from 'vitest'
import { diagnose } from '../../../../src/drivers/kubernetes/diagnosis/diagnose.ts'
import { objectLabels } from '../../../../src/manifests/object-names.ts'
import { MemoryHostApi, refusal } from '../../../support/api/memory-host-api.ts'
import { PROVOKED } from './provoked.ts'
import { replay } from './replay.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { eventWith, podWith, unscheduledPod, waitingPod } from './some-pods.ts'

const PODS = '/api/v1/namespaces/team-a/pods'
const CROWDED = '0/1 nodes are available: 1 Insufficient cpu.'
const REFUSED =
  'E0101 00:04:00.000000 1 run.go:72] "command failed" err="dial tcp: connection refused"'

test.for(PROVOKED)('reports why pods of a real host did not run: $name', async (provoked) => {
  const { component, final, hint, log = '', name, reason, state } = provoked

  const [problem, ...others] = await problemsOf(replay(name), name)

  expect(others).toEqual([])
  expect(problem).toMatchObject({ component, final })
  expect(problem?.state).toMatch(state)
  expect(problem?.reason).toMatch(reason)
  expect(hintTexts(problem?.hints ?? []).join('\n')).toMatch(hint)
  expect(problem?.log?.join('\n') ?? '').toContain(log)
})

test('reports the lost node of a pod by its conditions', async () => {
  const host = replay('lost-node')
  for (const path of [...host.objects.keys()].filter((key) => key.includes('/events/'))) {
    host.remove(path)
  }

  expect(await problemsOf(host, 'lost-node')).toMatchObject([
    {
      object: 'Pod "vplane-lost-node-etcd-0"',
      reason: 'its node "node-1" does not answer',
      final: false,
    },
  ])
})

test('reports nothing of a healthy plane, and reads no events then', async () => {
  const host = new MemoryHostApi()
  host.objects.set(`${PODS}/a`, podWith({ phase: 'Running', conditions: [ready('True')] }))

  expect(await problemsOf(host, 'dev')).toEqual([])
  expect(host.requests.filter((request) => request.includes('/events'))).toEqual([])
})

test('reports one problem of each component: the final one', async () => {
  const host = new MemoryHostApi()
  host.objects.set(`${PODS}/a`, waitingPod('ErrImagePull', '503 Service Unavailable'))
  host.objects.set(`${PODS}/b`, waitingPod('ErrImageNeverPull'))

  expect(await problemsOf(host, 'dev')).toMatchObject([
    { component: 'etcd', state: 'ErrImageNeverPull', final: true },
  ])
})

test('waits for room while other pods of the plane still end', async () => {
  const host = new MemoryHostApi()
  host.objects.set(`${PODS}/new`, unscheduledPod(CROWDED))
  const crowded = await problemsOf(host, 'dev')
  host.objects.set(`${PODS}/old`, podWith({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }))

  expect(crowded).toMatchObject([{ state: 'Unschedulable', final: true }])
  expect(await problemsOf(host, 'dev')).toMatchObject([{ state: 'Unschedulable', final: false }])
})

test('gives autoscalers a moment to add nodes', async () => {
  const host = new MemoryHostApi()
  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds))
  const lastTransitionTime = at(0).toISOString()
  host.objects.set(`${PODS}/new`, unscheduledPod(CROWDED, {}, { lastTransitionTime }))

  expect(await problemsOf(host, 'dev', at(19))).toMatchObject([{ final: false }])
  expect(await problemsOf(host, 'dev', at(20))).toMatchObject([{ final: true }])

  host.objects.set('/api/v1/namespaces/team-a/events/no', eventWith('NotTriggerScaleUp'))
  expect(await problemsOf(host, 'dev', at(1))).toMatchObject([{ final: true }])
})

test('continues without events and logs that the user may not read', async () => {
  const host = replay('flag', refusing(403, 'forbidden', /\/(events|log)/))

  const [problem] = await problemsOf(host, 'flag')

  expect(problem?.reason).toBe('main has ended with exit code 1')
  expect(problem).not.toHaveProperty('log')
})

test('does not report the message of a host without the log as the reason', async () => {
  const host = replay('flag')
  for (const path of host.texts.keys()) {
    host.texts.set(path, 'unable to retrieve container logs for containerd://c0ffee')
  }

  const [problem] = await problemsOf(host, 'flag')

  expect(problem?.reason).toBe('main has ended with exit code 1')
})

test.for([
  ['before etcd was ready', '2026-01-01T00:01:00Z', false],
  ['when etcd was ready', '2026-01-01T00:03:00Z', true],
] as const)('counts the ends of runs that started %s', async ([, startedAt, final]) => {
  const host = new MemoryHostApi()
  const readyAt = '2026-01-01T00:02:00Z'
  const conditions = [{ ...ready('True'), lastTransitionTime: readyAt }]
  host.objects.set(`${PODS}/a`, podWith({ phase: 'Running', conditions }))
  const state = { terminated: { exitCode: 1, reason: 'Error', startedAt } }
  const containerStatuses = [{ name: 'kube-apiserver', restartCount: 9, state }]
  const metadata = { name: 'b', labels: objectLabels('dev', 'kube-apiserver') }
  host.objects.set(`${PODS}/b`, podWith({ containerStatuses }, metadata))
  host.texts.set(`${PODS}/b/log`, REFUSED)

  expect(await problemsOf(host, 'dev')).toMatchObject([{ component: 'kube-apiserver', final }])
})

test.for([
  ['before etcd was ready', '2026-01-01T00:01:00Z', 'waiting', { name: 'b', uid: 'b-uid' }],
  ['before etcd was ready', '2026-01-01T00:01:00Z', 'terminated', undefined],
  ['when etcd was ready', '2026-01-01T00:03:00Z', 'waiting', undefined],
] as const)(
  'names a pod that waits without need: it ended %s, started %s, %s',
  async ([, startedAt, now, delayed]) => {
    const host = new MemoryHostApi()
    const conditions = [{ ...ready('True'), lastTransitionTime: '2026-01-01T00:02:00Z' }]
    host.objects.set(`${PODS}/a`, podWith({ phase: 'Running', conditions }))
    const terminated = { exitCode: 1, reason: 'Error', startedAt }
    const waiting = {
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated },
    }
    const state = now === 'waiting' ? waiting : { state: { terminated } }
    const containerStatuses = [{ name: 'kube-apiserver', restartCount: 2, ...state }]
    const metadata = { name: 'b', uid: 'b-uid', labels: objectLabels('dev', 'kube-apiserver') }
    host.objects.set(`${PODS}/b`, podWith({ containerStatuses }, metadata))
    host.texts.set(`${PODS}/b/log`, REFUSED)

    const [problem] = await problemsOf(host, 'dev')

    expect(problem).toMatchObject({ component: 'kube-apiserver', final: false })
    expect(problem?.delayed).toEqual(delayed)
  },
)

test('treats a pod as transient once the Secret that it needs exists', async () => {
  const host = replay('mount')
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'missing' } }
  host.put('/api/v1/namespaces/team-a/secrets/missing', secret)

  expect(await problemsOf(host, 'mount')).toMatchObject([{ state: 'FailedMount', final: false }])
})

test.for([
  ['accepts them now', () => {}, false],
  ['does not say so', () => Promise.reject(refusal(403, 'User "x" cannot create pods')), true],
] as const)('lets the host try again to create pods when it %s', async ([, create, final]) => {
  const host = replay('quota', {
    onRequest: async ({ path, verb }) => {
      await (verb === 'create' && path === PODS ? create() : undefined)
    },
  })

  const [problem] = await problemsOf(host, 'quota')

  expect(problem).toMatchObject({ state: 'FailedCreate', final })
  expect(problem?.reason.includes('would accept them now')).toBe(!final)
  expect(host.objects.has(`${PODS}/vplane-quota-kube-apiserver-preflight`)).toBe(false)
})

test.for([
  ['node.kubernetes.io/not-ready', false],
  ['dedicated', true],
] as const)('reads the taints of nodes: %s', async ([key, final]) => {
  const host = new MemoryHostApi()
  const message = '0/1 nodes are available: 1 node(s) had untolerated taint(s).'
  host.objects.set(`${PODS}/a`, unscheduledPod(message))
  host.put('/api/v1/nodes/one', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'one' },
    spec: { taints: [{ key, effect: 'NoSchedule' }] },
  })

  expect(await problemsOf(host, 'dev')).toMatchObject([{ state: 'Unschedulable', final }])
})

test('reports evicted pods only while none is ready', async () => {
  const host = new MemoryHostApi()
  host.objects.set(`${PODS}/a`, podWith({ phase: 'Failed', reason: 'Evicted', message: 'disk' }))
  const before = await problemsOf(host, 'dev')
  host.objects.set(`${PODS}/b`, podWith({ phase: 'Running', conditions: [ready('True')] }))

  expect(before).toMatchObject([{ state: 'Evicted', final: false }])
  expect(await problemsOf(host, 'dev')).toEqual([])
})

test('fails when the host does not respond', async () => {
  const host = new MemoryHostApi(refusing(503, 'busy'))

  await expect(problemsOf(host, 'dev')).rejects.toMatchObject({ code: 'UNREACHABLE' })
})

function ready(status: string) {
  return { type: 'Ready', status }
}

function problemsOf(api: MemoryHostApi, name: string, now = new Date()) {
  const signal = new AbortController().signal
  return diagnose({ api, name, namespace: 'team-a', now, signal })
}
