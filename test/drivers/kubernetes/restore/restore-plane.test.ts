import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { replaceStranded } from '../../../../src/drivers/kubernetes/restore/replace-stranded.ts'
import { restorePlane } from '../../../../src/drivers/kubernetes/restore/restore-plane.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { type MemoryHostHooks, refusal } from '../../../support/api/memory-host-api.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { temporaryFolder } from '../../../support/machine/temporary-folder.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster } from '../fake-cluster.ts'
import { strandVolume } from '../strand-volume.ts'

const PODS = '/api/v1/namespaces/team-a/pods'
const CHECK = `${PODS}/vplane-dev-image-check`
const NODE = 'docker.io/library/node:24-alpine'
const MISSING = {
  waiting: { reason: 'ErrImagePull', message: 'failed to resolve reference "x": not found' },
}
const DONE = { terminated: { exitCode: 0 } }

test.for([
  [
    'helper',
    { 'receive-snapshot': MISSING, etcd: DONE },
    [
      'to use another image with Node.js, such as one of a mirror: --helper-image IMAGE',
      'to use it for all later restores: vplane set dev --namespace team-a images.helper=IMAGE',
    ],
  ],
  [
    'etcd',
    { 'receive-snapshot': DONE, etcd: MISSING },
    ['another registry: vplane set dev --namespace team-a images.registry=REGISTRY'],
  ],
] as const)('stops nothing when the image of %s cannot be pulled', async ([, states, hints]) => {
  const { cluster, restore } = await madePlane({ states })
  const before = { record: cluster.recordOf('dev'), objects: cluster.remains() }

  const failure = await rejectionOf(restore())

  expect(failure).toMatchObject({
    code: 'COMPONENT_FAILED',
    message: expect.stringContaining('"dev" was left as it is'),
    hints: expect.arrayContaining([...hints]),
  })
  expect(cluster.recordOf('dev')).toEqual(before.record)
  expect(cluster.remains()).toEqual(before.objects)
})

test.for<[string, UserSpec, string | undefined, string]>([
  ['the default', {}, undefined, NODE],
  ['the spec', { images: { helper: 'mirror/node' } }, undefined, 'mirror/node'],
  ['the request', { images: { helper: 'mirror/node' } }, 'said/node', 'said/node'],
])('uses the helper image of %s', async ([, userSpec, helperImage, image]) => {
  const { looked, restore } = await madePlane({ states: { etcd: MISSING }, userSpec })

  await rejectionOf(restore({ helperImage }))

  expect(looked()).toMatchObject([image, expect.stringContaining('registry.k8s.io/etcd:')])
})

test('stops nothing when a template of the user has no container "etcd"', async () => {
  const { cluster, restore } = await madePlane()
  const path = 'etcd/stateful-set.yaml'
  const text = await readFile(`templates/${path}`, 'utf8')
  const files = { [path]: text.replace('- name: etcd\n', '- name: database\n') }
  await cluster.changeRecord('dev', { templates: { folder: '/mine', files } })
  const before = cluster.recordOf('dev')

  const failure = await rejectionOf(restore())

  expect(failure.code).toBe('INVALID_SPEC')
  expect(cluster.recordOf('dev')).toEqual(before)
})

const FULL = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }]
const QUOTA = 'exceeded quota: small'

test.for<[string, Given, unknown[]]>([
  ['pods have run with them', { states: { 'receive-snapshot': DONE, etcd: DONE } }, []],
  ['the host has no room for the check', { conditions: FULL }, []],
  [
    'the user may not check them',
    { refused: QUOTA },
    [expect.stringMatching(/^vplane did not check .* can pull its images: .*quota: small/)],
  ],
  ['its pods run with them', { areRunning: true }, []],
])('continues when %s', async ([, given, notes]) => {
  const { cluster, restore } = await madePlane(given)
  const stop = new AbortController()
  cluster.api.hooks.onRequest = ({ path, verb }) => {
    if (verb === 'patch' && path.includes('/deployments/')) {
      stop.abort()
    }
    if (given.refused !== undefined && verb === 'create' && path === PODS) {
      throw refusal(403, given.refused)
    }
  }

  await expect(restore({ signal: stop.signal })).rejects.toThrow()

  expect(stop.signal.aborted).toBe(true)
  expect(cluster.api.objects.has(CHECK)).toBe(false)
  expect(cluster.ui.notes).toEqual(notes)
  expect(cluster.recordOf('dev')).toHaveProperty('restoring')
})

test.for<[string, UserSpec, number[]]>([
  ['with volumes', {}, [1_000_000_007, 1_000_000_007, 2_000_000_007]],
  ['in memory', { ephemeral: true }, [1_000_000_007, 2_000_000_007, 3_000_000_007]],
])(
  'raises revisions above those of interrupted restores of a plane %s',
  async ([, userSpec, floors]) => {
    const { cluster, restore } = await madePlane({ areRunning: true, userSpec })
    Object.assign(cluster.api.hooks, refusing(500, 'cut off', /^patch .*\/deployments\//))
    const floorAfter = async (revision: number, text: string) => {
      await expect(restore({ revision, text })).rejects.toThrow('cut off')
      return Object(cluster.recordOf('dev'))['revisionFloor']
    }

    const found = [
      await floorAfter(7, 'a snapshot'),
      await floorAfter(0, 'a snapshot'),
      await floorAfter(0, 'an older one'),
    ]

    expect(found).toEqual(floors)
  },
)

interface Given {
  states?: Record<string, object>
  conditions?: object[]
  refused?: string
  areRunning?: boolean
  userSpec?: UserSpec
}

interface RestoreOptions {
  helperImage?: string | undefined
  signal?: AbortSignal
  revision?: number
  text?: string
}

/** A plane that runs on a host where a pod that looks for images comes to a state. */
async function madePlane({ areRunning, conditions, states = {}, userSpec = {} }: Given = {}) {
  let seen: KubeObject | undefined
  const onChange: MemoryHostHooks['onChange'] = ({ object, path, type }) => {
    if (path === CHECK && type === 'ADDED') {
      seen = object
      const containerStatuses = Object.entries(states).map(([name, state]) => ({ name, state }))
      const status = { phase: 'Pending', conditions, containerStatuses }
      cluster.api.objects.set(path, { ...object, status })
    }
  }
  const cluster: FakeCluster = new FakeCluster({ onChange })
  const stored = await cluster.create('dev', { userSpec })
  if (areRunning === true) {
    const etcd = `registry.k8s.io/etcd:${stored.record.spec.etcdVersion}-0`
    const containers = [{ image: NODE }, { image: etcd }]
    const path = `${PODS}/vplane-dev-etcd-0`
    const pod = cluster.api.objects.get(path)
    expect.assert(pod !== undefined)
    const status = { ...Object(pod['status']), phase: 'Running' }
    cluster.api.put(path, { ...pod, spec: { containers }, status })
  }
  const restore = async (more: RestoreOptions = {}): Promise<void> => {
    await using folder = await temporaryFolder()
    const { signal = AbortSignal.timeout(9000), text = 'a snapshot', ...request } = more
    const file = `${folder.path}/dev.db`
    const untilAnswers = () => Promise.resolve()
    await writeFile(file, text)
    await restorePlane(cluster.driverContext(), {
      place: stored,
      id: stored.record.id,
      request: { file, from: file, revision: 0, keepFormer: false, untilAnswers, ...request },
      operation: cluster.operation({ signal }),
    })
  }
  const looked = () => {
    const { containers } = Object(seen?.['spec'])
    return containers.map(({ image }: { image: string }) => image)
  }
  return { cluster, restore, looked }
}

const CLAIM = (ordinal: number) =>
  `/api/v1/namespaces/team-a/persistentvolumeclaims/data-vplane-dev-etcd-${ordinal}`

test('deletes only the claims whose volumes are on nodes that are gone', async () => {
  const { cluster, replace, steps } = await strandedPlane()
  strandVolume(cluster.api, 'vplane-dev-etcd-2', { value: 'node-2' })

  await replace()

  expect(cluster.api.objects.has(CLAIM(1))).toBe(false)
  expect(cluster.api.objects.has(CLAIM(2))).toBe(true)
  expect(steps).toEqual(['removing the volume of vplane-dev-etcd-1'])
  expect(cluster.ui.steps).toEqual([
    'Giving vplane-dev-etcd-1 a new volume: its volume is on node "node-1", which is gone',
  ])
})

test('keeps a claim that was created again since its volume was read', async () => {
  const { cluster, replace } = await strandedPlane()
  const { api } = cluster
  const former = api.objects.get(CLAIM(1))
  expect.assert(former !== undefined)
  api.hooks.onRequest = ({ path, verb }) => {
    if (verb === 'delete' && path === CLAIM(1)) {
      api.remove(path)
      api.put(path, former)
    }
  }

  const error = await rejectionOf(replace())

  expect(error.code).toBe('CONFLICT')
  expect(api.objects.has(CLAIM(1))).toBe(true)
  expect(api.objects.get(CLAIM(1))?.metadata.uid).not.toBe(former.metadata.uid)
})

/** A plane of three members, of which the second one has its volume on a node that is gone. */
async function strandedPlane() {
  const cluster = new FakeCluster()
  const userSpec = { etcd: { replicas: 3 as const } }
  const { record } = await cluster.store('dev', { userSpec })
  strandVolume(cluster.api, 'vplane-dev-etcd-1')
  const steps: string[] = []
  const step = (said: string) => Promise.resolve(void steps.push(said))
  const place = { name: 'dev', namespace: 'team-a' }
  return {
    cluster,
    steps,
    replace: () =>
      replaceStranded(
        cluster,
        { record, step },
        { place, component: 'etcd', operation: cluster.operation() },
      ),
  }
}
