import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { UserSpec } from '../../src/control-plane/spec.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { openHostCluster } from '../../src/kube/host/open-host-cluster.ts'
import { objectPathOf } from '../../src/manifests/host-object.ts'
import { planeManifests } from '../../src/manifests/plane-manifests.ts'
import { processEnvironment } from '../../src/shared/environment.ts'
import { waitFor } from '../../src/shared/wait.ts'
import { canRunLab, startLab } from '../lab/lab.ts'
import { knowServiceMonitors } from '../support/service-monitors.ts'
import { type AppliedPlane, applyPlane } from './applied-plane.ts'
import { podsIn } from './host-pods.ts'
import { manifestInputOf } from './manifest-input-of.ts'
import { readEtcd } from './read-etcd.ts'
import { VARIANTS } from './variants.ts'

const TIMEOUT_MS = 120_000
const DEFAULT = '/api/v1/namespaces/default'

describe.skipIf(canRunLab() !== undefined)('the objects of a plane', () => {
  test('are valid to a real API server, every field of every variant', async () => {
    await using lab = await startLab()
    const files = [lab.kubeconfigPath]
    await using host = await openHostCluster({ files, environment: processEnvironment() })
    await using namespace = await makeNamespace(host.api)
    await using _monitors = await knowServiceMonitors(lab)

    const objects = Object.values(VARIANTS).flatMap(([user, changes]) =>
      planeManifests(manifestInputOf(withAnyPort(user), { ...changes, namespace: namespace.name })),
    )
    const applied = await Promise.all(
      objects.map((object) => host.api.apply(objectPathOf(object), object, { dryRun: true })),
    )

    expect(applied.length).toBeGreaterThan(100)
  })

  test('make a plane in a namespace for restricted pods, without a process that fails', async () => {
    await using lab = await startLab()
    const policy = { rules: [{ level: 'Metadata' }] }
    // It ends when the API is not there within ten seconds: a busy host does not make that.
    const later = 'kube-controller-manager'
    await using plane = await applyPlane(lab, { ephemeral: true, audit: { policy } }, later)
    await waitForPods(plane, 2)

    await plane.apply({})
    await waitForPlane(plane)

    await waitForPods(plane, 3)
    expect((await podsIn(plane)).map(({ restarts }) => restarts)).toEqual([0, 0, 0])
    const log = await lab.kubectl([
      'logs',
      '-n',
      plane.input.namespace,
      'deployment/vplane-dev-kube-apiserver',
    ])
    expect(log).toContain('"kind":"Event","apiVersion":"audit.k8s.io/v1"')
  })

  test('keep Secrets encrypted in etcd', async () => {
    await using lab = await startLab()
    await using plane = await applyPlane(lab, { ephemeral: true })
    await waitForPlane(plane)

    const data = { password: Buffer.from('open sesame').toString('base64') }
    await plane.api.apply(`${DEFAULT}/secrets/hidden`, { ...secret('hidden'), data })

    const stored = await readEtcd(plane, '/registry/secrets/default/hidden')
    expect(stored).toContain('k8s:enc:secretbox:v1:key-1:')
    expect(stored).not.toContain('open sesame')
    expect(await plane.api.get(`${DEFAULT}/secrets/hidden`)).toMatchObject({ data })
  })

  test('serve without a gap while a lone kube-apiserver is replaced', async () => {
    await using lab = await startLab()
    await using plane = await applyPlane(lab, { ephemeral: true })
    await waitForPlane(plane)
    const [before] = await podsIn(plane, 'kube-apiserver')
    const { spec } = plane.input

    await plane.apply({ spec: { ...spec, apiServer: { ...spec.apiServer, goGc: 60 } } })
    const answers: unknown[] = []
    await waitFor(
      async () => {
        answers.push((await plane.api.get(DEFAULT))?.metadata.name)
        const pods = await podsIn(plane, 'kube-apiserver')
        return pods.length === 1 && pods[0]?.metadata.name !== before?.metadata.name
      },
      { what: 'the new pod', timeoutMs: TIMEOUT_MS },
    )

    expect(new Set(answers)).toEqual(new Set(['default']))
  })

  test('never make an empty plane of one whose data is gone', async () => {
    await using lab = await startLab()
    await using plane = await applyPlane(lab, { ephemeral: true })
    await waitForPlane(plane)
    const [etcd] = await podsIn(plane, 'etcd')

    await plane.apply({ initialState: 'existing' })
    const path = `/api/v1/namespaces/${plane.input.namespace}/pods/vplane-dev-etcd-0`
    await plane.host.api.delete(path, { uid: etcd?.metadata.uid ?? '' })

    const refused = async () => {
      const pods = await podsIn(plane, 'etcd')
      return pods.some((pod) => pod.metadata.uid !== etcd?.metadata.uid && pod.restarts > 0)
    }
    await waitFor(refused, { what: 'etcd to refuse to start', timeoutMs: TIMEOUT_MS })
    expect((await podsIn(plane, 'etcd')).map(({ isReady }) => isReady)).toEqual([false])
  })

  test(
    'stay as they are when applied again, and outlive the eviction of every pod',
    { timeout: 400_000 },
    async () => {
      await using lab = await startLab()
      await using plane = await applyPlane(lab, { preset: 'ha' })
      await waitForPlane(plane)
      await waitForPods(plane, 7)
      await plane.api.apply(`${DEFAULT}/secrets/kept`, secret('kept'))
      await plane.apply({})
      expect(await generationsIn(plane)).toEqual([1, 1, 1])

      for (const { metadata } of await podsIn(plane)) {
        await evict(plane, metadata.name ?? '')
        expect(await plane.api.get(`${DEFAULT}/secrets/kept`)).toBeDefined()
      }

      await waitForPods(plane, 7)
      expect(await plane.api.get(`${DEFAULT}/secrets/kept`)).toBeDefined()
    },
  )
})

/** A port of the nodes that is named may be taken there. */
function withAnyPort(user: UserSpec): UserSpec {
  return user.expose === undefined
    ? user
    : { ...user, expose: { ...user.expose, nodePort: undefined } }
}

async function makeNamespace(api: KubeClient) {
  const name = `manifests-${randomBytes(4).toString('hex')}`
  const path = `/api/v1/namespaces/${name}`
  await api.apply(path, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  return { name, [Symbol.asyncDispose]: async () => void (await api.delete(path)) }
}

/** Until everything is there that a plane has by itself. */
async function waitForPlane({ api }: AppliedPlane): Promise<void> {
  const isThere = async (signal: AbortSignal) =>
    (await api.get(`${DEFAULT}/serviceaccounts/default`, { signal })) !== undefined &&
    (await api.get(`${DEFAULT}/configmaps/kube-root-ca.crt`, { signal })) !== undefined
  await waitFor((signal) => isThere(signal).catch(() => false), {
    what: 'the plane',
    timeoutMs: TIMEOUT_MS,
  })
}

async function waitForPods(plane: AppliedPlane, count: number): Promise<void> {
  const areReady = async () => {
    const pods = await podsIn(plane)
    return pods.length === count && pods.every(({ isReady }) => isReady)
  }
  await waitFor(areReady, { what: `${count} ready pods`, timeoutMs: TIMEOUT_MS })
}

/** How often each workload was changed. */
async function generationsIn({ host, input }: AppliedPlane): Promise<unknown[]> {
  const lists = await Promise.all(
    ['deployments', 'statefulsets'].map((resource) =>
      host.api.list(`/apis/apps/v1/namespaces/${input.namespace}/${resource}`),
    ),
  )
  return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata['generation']))
}

/** Evicts a pod as soon as its budget lets it, as a drain does, and waits until the workload is whole again. */
async function evict(plane: AppliedPlane, name: string): Promise<void> {
  const { host, input } = plane
  const { namespace } = input
  const before = await podsIn(plane)
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } }
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`
  await waitFor(
    () =>
      host.api.create(path, eviction).then(
        () => true,
        () => false,
      ),
    { what: `the eviction of ${name}`, timeoutMs: TIMEOUT_MS, intervalMs: 500 },
  )
  const uid = before.find(({ metadata }) => metadata.name === name)?.metadata.uid
  const isReplaced = async () => {
    const pods = await podsIn(plane)
    const isGone = pods.every(({ metadata }) => metadata.uid !== uid)
    return isGone && pods.length === before.length && pods.every(({ isReady }) => isReady)
  }
  await waitFor(isReplaced, { what: `another pod than ${name}`, timeoutMs: TIMEOUT_MS })
}

function secret(name: string) {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name } }
}
