import { describe, expect, test } from 'vitest'
import { waitFor } from '../../../src/shared/wait.ts'
import { canRunLab, startLab } from '../../lab/lab.ts'
import { type AppliedPlane, applyPlane } from './applied-plane.ts'
import { podsIn } from './host-pods.ts'
import { readEtcd } from './read-etcd.ts'
import { waitForPlane, waitForPods } from './wait-for-plane.ts'

const TIMEOUT_MS = 120_000
const DEFAULT = '/api/v1/namespaces/default'

describe.skipIf(canRunLab() !== undefined)('the objects of a plane', () => {
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

  test('serve without a gap while a single kube-apiserver is replaced', async () => {
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

  test('never create an empty plane when the data is missing', async () => {
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
    { timeout: 1_200_000 },
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
