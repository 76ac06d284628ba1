import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { keyOf, type ObjectKey } from '../../../src/syncer/scope/object-key.ts'
import type { RefusedContainer } from '../../../src/syncer/pods/change-host-pod.ts'
import { syncPod } from '../../../src/syncer/pods/sync-pod.ts'
import { toHostMetadata } from '../../../src/syncer/translate/host-metadata.ts'
import { refusal } from '../../support/api/memory-host-api.ts'

const scope = { plane: 'dev', planeId: 'plane-1', host: { namespace: 'team-a' } }
const VIRTUAL_PATH = '/api/v1/namespaces/default/pods/web'
const HOST_PATH = '/api/v1/namespaces/team-a/pods/web-x-default-x-dev'

interface Fields {
  metadata?: Record<string, unknown>
  spec?: Record<string, unknown>
  status?: Record<string, unknown>
}

const virtualPod = ({ metadata, spec = {}, status = { phase: 'Pending' } }: Fields = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: 'virtual-1', ...metadata },
  spec,
  status,
})

const hostPod = ({ metadata, spec = {}, status = { phase: 'Pending' } }: Fields = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    ...toHostMetadata(scope, virtualPod()),
    uid: 'host-1',
    ...metadata,
  },
  spec,
  status,
})

/** Syncs the one pod there is, and tells what was done. */
async function synced(
  objects: { virtual?: KubeObject; host?: KubeObject },
  {
    isMisplaced = false,
    refused = [],
    refuses = () => {},
    scheduler = 'host',
    wasObserved = true,
  }: {
    isMisplaced?: boolean
    refused?: RefusedContainer[]
    refuses?: (request: string) => void
    scheduler?: 'host' | 'virtual'
    wasObserved?: boolean
  } = {},
): Promise<unknown[]> {
  const done: unknown[] = []
  const record = (what: string, path: string, body?: unknown) => {
    done.push(body === undefined ? [what, path] : [what, path, body])
    refuses(what)
  }
  const cacheOf = (object: KubeObject | undefined) => ({
    get: (key: ObjectKey) => (object !== undefined && keyOf(object) === key ? object : undefined),
  })
  await syncPod(
    {
      scope,
      pods: { virtual: cacheOf(objects.virtual), host: cacheOf(objects.host) },
      virtualNameOf: () => undefined,
      surroundings: { scheduler },
      isMisplaced: () => isMisplaced,
      observedPods: new Map(wasObserved ? [['default/web', objects.virtual?.metadata.uid]] : []),
      plane: {
        create: async (path, object) => {
          record('create', path, object['target'])
          return object
        },
        replace: async (path, object) => {
          record('replace', path, object['status'])
          return object
        },
        delete: async (path, { graceSeconds, uid } = {}) => {
          record('delete', path, { graceSeconds, uid })
          return true
        },
      },
      host: {
        delete: async (path, { graceSeconds, resourceVersion, uid } = {}) => {
          record('delete', path, { graceSeconds, resourceVersion, uid })
          return true
        },
      },
      ensureNode: async (name) => record('ensure node', name),
      createHostPod: async ({ metadata }) => record('create host pod of', metadata.name ?? ''),
      updateHostPod: async ({ virtual: { metadata } }) => {
        record('update host pod of', metadata.name ?? '')
        return refused
      },
    },
    'default/web',
    AbortSignal.timeout(5000),
  )
  return done
}

test('makes the host pod of a new pod', async () => {
  expect(await synced({ virtual: virtualPod() })).toEqual([['create host pod of', 'web']])
})

test('waits with a pod that may not be scheduled yet', async () => {
  const virtual = virtualPod({ spec: { schedulingGates: [{ name: 'example.com/later' }] } })

  expect(await synced({ virtual })).toEqual([])
})

test('waits with a pod for the node that a scheduler of the plane chooses', async () => {
  const options = { scheduler: 'virtual', wasObserved: false } as const
  const placed = virtualPod({ spec: { nodeName: 'node-1' } })

  expect(await synced({ virtual: virtualPod() }, options)).toEqual([])
  expect(await synced({ virtual: placed }, options)).toEqual([['create host pod of', 'web']])
})

test('binds a pod to the node that the host has chosen, once the plane has that node', async () => {
  const done = await synced({
    virtual: virtualPod(),
    host: hostPod({ spec: { nodeName: 'node-1' } }),
  })

  expect(done).toEqual([
    ['update host pod of', 'web'],
    ['ensure node', 'node-1'],
    ['create', `${VIRTUAL_PATH}/binding`, { apiVersion: 'v1', kind: 'Node', name: 'node-1' }],
  ])
})

test('shows what the host says of a pod', async () => {
  const bound = { spec: { nodeName: 'node-1' } }
  const done = await synced({
    virtual: virtualPod(bound),
    host: hostPod({ ...bound, status: { phase: 'Running', podIP: '10.0.0.4' } }),
  })

  expect(done.at(-1)).toEqual([
    'replace',
    `${VIRTUAL_PATH}/status`,
    { phase: 'Running', podIP: '10.0.0.4' },
  ])
})

test('shows why a container is not added to a pod', async () => {
  const bound = { spec: { nodeName: 'node-1' }, status: { phase: 'Running' } }
  const message = 'not synced to the host cluster: privileged is not allowed'
  const refused = [{ name: 'debugger', image: 'busybox', reason: 'SyncRefused', message } as const]

  const done = await synced({ virtual: virtualPod(bound), host: hostPod(bound) }, { refused })

  expect(done.at(-1)).toMatchObject([
    'replace',
    `${VIRTUAL_PATH}/status`,
    {
      ephemeralContainerStatuses: [
        { name: 'debugger', state: { waiting: { reason: 'SyncRefused', message } } },
      ],
    },
  ])
})

test('makes no node for a bound pod of a DaemonSet', async () => {
  const pod = { spec: { nodeName: 'node-1' }, status: { phase: 'Running' } }
  const ownerReferences = [{ kind: 'DaemonSet', controller: true }]
  const metadata = { ...virtualPod().metadata, ownerReferences }

  expect(await synced({ virtual: virtualPod({ ...pod, metadata }), host: hostPod(pod) })).toEqual([
    ['update host pod of', 'web'],
  ])
})

test('does nothing more when both sides agree', async () => {
  const pod = { spec: { nodeName: 'node-1' }, status: { phase: 'Running' } }

  expect(await synced({ virtual: virtualPod(pod), host: hostPod(pod) })).toEqual([
    ['update host pod of', 'web'],
    ['ensure node', 'node-1'],
  ])
})

test('deletes the host pod of a pod that is gone', async () => {
  expect(await synced({ host: hostPod() })).toEqual([['delete', HOST_PATH, { uid: 'host-1' }]])
})

test('gives a pod that is deleted the time it asks for, and keeps it until the host pod has ended', async () => {
  const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 }
  const virtual = virtualPod({ metadata: leaving })

  expect(await synced({ virtual, host: hostPod() })).toEqual([
    ['delete', HOST_PATH, { graceSeconds: 30, uid: 'host-1' }],
  ])
  expect(await synced({ virtual, host: hostPod({ metadata: leaving }) })).toEqual([])
  expect(await synced({ virtual })).toEqual([
    ['delete', VIRTUAL_PATH, { graceSeconds: 0, uid: 'virtual-1' }],
  ])
})

test('hurries a host pod that is ending when the user no longer wants to wait', async () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z'
  const done = await synced({
    virtual: virtualPod({ metadata: { deletionTimestamp, deletionGracePeriodSeconds: 1 } }),
    host: hostPod({
      metadata: {
        ...toHostMetadata(scope, virtualPod()),
        deletionTimestamp,
        deletionGracePeriodSeconds: 30,
      },
    }),
  })

  expect(done).toEqual([['delete', HOST_PATH, { graceSeconds: 1, uid: 'host-1' }]])
})

test('makes a host pod anew that waits for the wrong nodes, unless it has changed meanwhile', async () => {
  const host = hostPod({ metadata: { ...hostPod().metadata, resourceVersion: '7' } })

  expect(await synced({ virtual: virtualPod(), host }, { isMisplaced: true })).toEqual([
    ['delete', HOST_PATH, { resourceVersion: '7', uid: 'host-1' }],
  ])
  expect(await synced({ virtual: virtualPod() })).toEqual([['create host pod of', 'web']])
})

test('removes the host pod of an earlier pod of the same name before it makes another', async () => {
  const virtual = virtualPod({ metadata: { name: 'web', namespace: 'default', uid: 'virtual-2' } })

  expect(await synced({ virtual, host: hostPod() })).toEqual([
    ['delete', HOST_PATH, { uid: 'host-1' }],
  ])
})

test('says that a pod has failed whose host pod somebody removed, and does not start it anew', async () => {
  const virtual = virtualPod({ spec: { nodeName: 'node-1' }, status: { phase: 'Running' } })

  expect(await synced({ virtual })).toEqual([
    [
      'replace',
      `${VIRTUAL_PATH}/status`,
      {
        phase: 'Failed',
        reason: 'HostPodRemoved',
        message: 'the host pod was deleted on the host cluster',
      },
    ],
  ])
})

test('makes the host pod again that went while no syncer was there', async () => {
  const virtual = virtualPod({ spec: { nodeName: 'node-1' }, status: { phase: 'Running' } })

  expect(await synced({ virtual }, { wasObserved: false })).toEqual([['create host pod of', 'web']])
})

test('touches no pod of the host that is not its own', async () => {
  const host = hostPod({ metadata: { labels: { app: 'other' } } })

  await expect(synced({ virtual: virtualPod(), host })).rejects.toThrow(
    'does not belong to this plane',
  )
})

test.for(['Succeeded', 'Failed'])('leaves a pod alone that has %s', async (phase) => {
  const virtual = virtualPod({ spec: { nodeName: 'node-1' }, status: { phase } })

  expect(await synced({ virtual })).toEqual([])
})

test.for([
  ['create', hostPod({ spec: { nodeName: 'node-1' } })],
  ['replace', hostPod({ status: { phase: 'Running' } })],
] as const)('leaves what has changed meanwhile to the next time: %s', async ([verb, host]) => {
  const refuses = (what: string) => {
    if (what === verb) {
      throw refusal(409, 'the object has been modified')
    }
  }

  await expect(synced({ virtual: virtualPod(), host }, { refuses })).resolves.toContainEqual(
    expect.arrayContaining([verb]),
  )
})
