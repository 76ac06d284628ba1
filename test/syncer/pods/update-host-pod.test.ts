import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import type { Report } from '../../../src/syncer/events/reporter.ts'
import { updateHostPod } from '../../../src/syncer/pods/update-host-pod.ts'
import { toHostPod } from '../../../src/syncer/translate/pods/to-host-pod.ts'
import { refusal } from '../../support/api/memory-host-api.ts'
import { CONTEXT, podWith, translated } from '../translate/pods/some-pods.ts'
import { SCOPE } from '../translate/some-objects.ts'

const podOf = (
  { spec = {}, ...metadata }: Partial<KubeObject['metadata']> & { spec?: object } = {},
  image = 'web:1',
) => podWith({ containers: [{ name: 'web', image }], ...spec }, metadata)

/** The host pod as it was created from a virtual pod, with what others have changed since. */
function hostPodOf(virtual: KubeObject, annotations: Record<string, string> = {}): KubeObject {
  const { pod } = translated(virtual)
  const { metadata } = pod
  return {
    ...pod,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
  }
}

/** What is done to a host pod that was created from one virtual pod when that is another now. */
async function updated(
  host: KubeObject,
  virtual: KubeObject,
  answer: (path: string) => unknown = () => undefined,
) {
  const patches: unknown[] = []
  const tokens: string[] = []
  const reports: Report[] = []
  const context = {
    scope: SCOPE,
    surroundings: CONTEXT,
    translatePod: (pod: KubeObject) => toHostPod(pod, CONTEXT),
    secrets: {
      host: {
        // All tokens are fresh.
        get: (key: string) => {
          tokens.push(key)
          return { metadata: { annotations: { 'vplane.dev/renew-at': '2026-06-01T13:00:00Z' } } }
        },
      },
    },
    now: () => new Date('2026-06-01T12:00:00Z'),
    namespaces: new Map(),
    services: { virtual: new Map() },
    nodes: { virtual: new Map() },
    hostClasses: () => ({ priorityClasses: new Map(), runtimeClasses: [] }),
    reporter: { report: async (_: KubeObject, report: Report) => void reports.push(report) },
    host: {
      patch: async (path: string, patch: unknown) => {
        const answered = answer(path)
        patches.push([path, patch])
        return answered
      },
    },
  }
  // As narrow as it is used.
  const update = await updateHostPod(Object(context), { virtual, host }, AbortSignal.timeout(5000))
  return { patches, tokens, reports, ...update }
}

const patched = async (host: KubeObject, virtual: KubeObject) =>
  (await updated(host, virtual)).patches[0]

const PATH = '/api/v1/namespaces/team-a/pods/web-x-shop-x-dev'

test('does nothing when nothing changed', async () => {
  const pod = podOf({ labels: { app: 'web' }, annotations: { note: 'a' } })

  expect(await patched(hostPodOf(pod), pod)).toBeUndefined()
})

test('brings labels, added, changed and removed', async () => {
  const host = hostPodOf(podOf({ labels: { app: 'web', tier: 'front', constructor: 'x' } }))

  const patch = await patched(host, podOf({ labels: { app: 'shop', new: 'yes' } }))

  const labels = { app: 'shop', new: 'yes', tier: null, constructor: null }
  expect(patch).toMatchObject([PATH, { metadata: { labels } }])
})

test('brings annotations, and leaves those of others', async () => {
  const ofOthers = { 'cni.example.com/address': '10.0.0.4' }
  const host = hostPodOf(podOf({ annotations: { note: 'a', old: 'b' } }), ofOthers)

  const patch = await patched(host, podOf({ annotations: { note: 'c' } }))

  expect(patch).toMatchObject([PATH, { metadata: { annotations: { note: 'c', old: null } } }])
  expect(JSON.stringify(patch)).not.toContain('cni.example.com/address')
})

test('brings another image, and the deadline', async () => {
  const host = hostPodOf(podOf())

  const patch = await patched(host, podOf({ spec: { activeDeadlineSeconds: 60 } }, 'web:2'))

  expect(patch).toEqual([
    PATH,
    {
      metadata: { annotations: { 'vplane.dev/images': '{"web":"web:2"}' } },
      spec: { containers: [{ name: 'web', image: 'web:2' }], activeDeadlineSeconds: 60 },
    },
  ])
})

test('leaves the image of a mirror and the labels that the host has added', async () => {
  const host = hostPodOf(podOf({ labels: { app: 'web' } }))
  const labels = { ...host.metadata.labels, 'istio.io/rev': 'default' }
  const spec = { ...Object(host['spec']), containers: [{ name: 'web', image: 'mirror/web:1' }] }
  const mutated = { ...host, metadata: { ...host.metadata, labels }, spec }

  expect(await patched(mutated, podOf({ labels: { app: 'web' } }))).toBeUndefined()
  const patch = await patched(mutated, podOf({}, 'web:2'))
  expect(patch).toMatchObject([PATH, { metadata: { labels: { app: null } } }])
  expect(JSON.stringify(patch)).not.toContain('istio.io/rev')
})

test('lets a pod continue that would be refused by now', async () => {
  const sources = [{ serviceAccountToken: { path: 'token' } }]
  const volumes = [{ name: 'v', projected: { sources } }]
  const host = hostPodOf(podOf({ spec: { volumes } }))

  const { patches, tokens } = await updated(host, podOf({ spec: { volumes, hostPID: true } }))

  expect(patches).toEqual([])
  // Its tokens are renewed as before.
  expect(tokens).toHaveLength(1)
})

const withResources = (resources: object) =>
  podOf({ spec: { containers: [{ name: 'web', image: 'web:1', resources }] } })

test('resizes containers through the subresource, and leaves what the host gave besides', async () => {
  const pod = hostPodOf(withResources({ requests: { cpu: '1' }, limits: { cpu: '2' } }))

  const { patches, reports } = await updated(pod, withResources({ requests: { cpu: '2' } }))

  expect(patches).toEqual([
    [
      `${PATH}/resize`,
      { spec: { containers: [{ name: 'web', resources: { requests: { cpu: '2' } } }] } },
    ],
  ])
  expect(reports).toEqual([])
  expect((await updated(pod, withResources({ requests: { cpu: '1' } }))).patches).toEqual([])
  expect((await updated(pod, withResources({}))).patches).toEqual([])
})

test.for([
  ['too much', 403, 'pods "web-x-shop-x-dev" is forbidden', ['pods "web" is forbidden']],
  ['a host that cannot', 404, 'could not find the resource', ['could not find the resource']],
  ['a pod that is gone', 404, 'pods "web-x-shop-x-dev" not found', []],
] as const)('tells of a resize that is refused: %s', async ([, status, message, expected]) => {
  const host = hostPodOf(withResources({ requests: { cpu: '1' } }))

  const { reports } = await updated(host, withResources({ requests: { cpu: '2' } }), () => {
    throw refusal(status, message)
  })

  expect(reports.map((report) => report.message.replace(/^.*: /, ''))).toEqual(expected)
})

const debugging = (...containers: object[]) =>
  podOf({ spec: { ephemeralContainers: containers.map((one) => ({ image: 'busybox', ...one })) } })

test('adds each ephemeral container that the host pod lacks, with the environment of the plane', async () => {
  const host = hostPodOf(podOf())
  const virtual = debugging({ name: 'old' }, { name: 'new', targetContainerName: 'web', tty: true })
  const spec = { ...Object(host['spec']), ephemeralContainers: [{ name: 'old' }] }

  const { isCurrent, patches, refused } = await updated({ ...host, spec }, virtual)

  expect(patches).toMatchObject([
    [
      `${PATH}/ephemeralcontainers`,
      { spec: { ephemeralContainers: [{ name: 'new', targetContainerName: 'web', tty: true }] } },
    ],
  ])
  expect(JSON.stringify(patches)).toContain('KUBERNETES_SERVICE_HOST')
  expect(refused).toEqual([])
  // What the host says of the pod was before.
  expect(isCurrent).toBe(false)
})

test('says which fields of an ephemeral container the host has dropped', async () => {
  const virtual = debugging({ name: 'debug', tty: true, stdin: true })
  const stored = { name: 'debug', image: 'busybox', stdin: true, env: [] }
  const spec = { ephemeralContainers: [stored] }

  const { reports } = await updated(hostPodOf(podOf()), virtual, () => ({ spec }))

  expect(reports).toMatchObject([
    {
      reason: 'HostDropped',
      message: expect.stringContaining('without spec.ephemeralContainers[debug].tty'),
    },
  ])
})

test('adds no ephemeral container that has ended in an earlier host pod', async () => {
  const status = { ephemeralContainerStatuses: [{ name: 'old', state: { terminated: {} } }] }

  const pod = { ...debugging({ name: 'old' }), status }
  const { isCurrent, patches } = await updated(hostPodOf(podOf()), pod)

  expect(patches).toEqual([])
  expect(isCurrent).toBe(true)
})

test('says why an ephemeral container is not added, once, and adds the others', async () => {
  const privileged = { name: 'root', securityContext: { privileged: true } }
  const virtual = debugging(privileged, { name: 'refused' }, { name: 'good' })
  let asked = 0
  const refuse = () => {
    asked += 1
    if (asked === 1) {
      throw refusal(403, 'violates PodSecurity')
    }
  }

  const { patches, refused, reports } = await updated(hostPodOf(podOf()), virtual, refuse)

  expect(patches).toHaveLength(1)
  expect(refused).toMatchObject([
    { name: 'root', reason: 'SyncRefused', message: expect.stringContaining('privileged') },
    { name: 'refused', reason: 'HostRefused', message: expect.stringContaining('PodSecurity') },
  ])
  expect(reports.map(({ reason }) => reason)).toEqual(['SyncRefused', 'HostRefused'])

  const shown = refused.map(({ image, name, ...waiting }) => ({ image, name, state: { waiting } }))
  const status = { ephemeralContainerStatuses: shown }
  asked = 0
  const again = await updated(hostPodOf(podOf()), { ...virtual, status }, refuse)
  expect(again.reports).toEqual([])
  expect(again.refused).toEqual(refused)
})
