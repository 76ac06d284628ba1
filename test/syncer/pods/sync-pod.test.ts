import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import type { ObjectCache } from '../../../src/kube/cache/object-cache.ts'
import type { RefusedContainer } from '../../../src/syncer/pods/change-host-pod.ts'
import { syncPod } from '../../../src/syncer/pods/sync-pod.ts'
import { toHostMetadata } from '../../../src/syncer/translate/host-metadata.ts'
import { refusal } from '../../support/api/memory-host-api.ts'
import { cacheOf } from '../engine/some-caches.ts'
import { SCOPE, virtualObject } from '../translate/some-objects.ts'

const VIRTUAL_PATH = '/api/v1/namespaces/shop/pods/web'
const HOST_PATH = '/api/v1/namespaces/team-a/pods/web-x-shop-x-dev'
const BOUND = { spec: { nodeName: 'node-1' } }
const RUNNING = { ...BOUND, status: { phase: 'Running' } }

const virtualPod = ({ metadata, ...fields }: Partial<KubeObject> = {}) =>
  virtualObject('Pod', { spec: {}, status: { phase: 'Pending' }, ...fields }, metadata)

const hostPod = ({ metadata, ...fields }: Partial<KubeObject> = {}) => {
  const made = toHostMetadata({ scope: SCOPE, resource: 'pods' }, virtualPod())
  return virtualPod({ ...fields, metadata: { ...made, uid: 'host-1', ...metadata } })
}

interface Situation {
  virtual?: KubeObject
  host?: KubeObject
  isMisplaced?: boolean
  refused?: RefusedContainer[]
  isCurrent?: boolean
  refuses?: (request: string) => void
  scheduler?: 'host' | 'virtual'
  wasObserved?: boolean
  /** Instead of a new cache with the virtual pod alone. */
  virtuals?: ObjectCache
  settled?: WeakMap<KubeObject, KubeObject>
}

/** Syncs the one pod there is, and tells what was done. */
async function synced({ host, virtual, ...given }: Situation): Promise<unknown[]> {
  const done: unknown[] = []
  const record = (what: string, path: string, body?: unknown) => {
    done.push(body === undefined ? [what, path] : [what, path, body])
    given.refuses?.(what)
  }
  const wasObserved = given.wasObserved ?? true
  await syncPod(
    {
      scope: SCOPE,
      pods: { virtual: given.virtuals ?? (await cacheOf(virtual)), host: await cacheOf(host) },
      virtualNameOf: () => undefined,
      settled: given.settled ?? new WeakMap(),
      surroundings: { scheduler: given.scheduler ?? 'host' },
      isMisplaced: () => given.isMisplaced ?? false,
      observedPods: new Map(wasObserved ? [['shop/web', virtual?.metadata.uid]] : []),
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
        return { refused: given.refused ?? [], isCurrent: given.isCurrent ?? true }
      },
    },
    'shop/web',
    AbortSignal.timeout(5000),
  )
  return done
}

const CREATED = ['create host pod of', 'web']
const UPDATED = ['update host pod of', 'web']
const DELETED = ['delete', HOST_PATH, { uid: 'host-1' }]

test('makes the host pod of a new pod', async () => {
  expect(await synced({ virtual: virtualPod() })).toEqual([CREATED])
})

test('waits with a pod that may not be scheduled yet', async () => {
  const virtual = virtualPod({ spec: { schedulingGates: [{ name: 'example.com/later' }] } })

  expect(await synced({ virtual })).toEqual([])
})

test('waits with a pod for the node that a scheduler of the plane chooses', async () => {
  const options = { scheduler: 'virtual', wasObserved: false } as const

  expect(await synced({ virtual: virtualPod(), ...options })).toEqual([])
  expect(await synced({ virtual: virtualPod(BOUND), ...options })).toEqual([CREATED])
})

test('binds a pod to the node that the host has chosen, once the plane has that node', async () => {
  expect(await synced({ virtual: virtualPod(), host: hostPod(BOUND) })).toEqual([
    ['ensure node', 'node-1'],
    ['create', `${VIRTUAL_PATH}/binding`, { apiVersion: 'v1', kind: 'Node', name: 'node-1' }],
    UPDATED,
  ])
})

test('shows what the host says of a pod', async () => {
  const status = { phase: 'Running', podIP: '10.0.0.4' }
  const done = await synced({ virtual: virtualPod(BOUND), host: hostPod({ ...BOUND, status }) })

  expect(done.at(-1)).toEqual(['replace', `${VIRTUAL_PATH}/status`, status])
})

test('shows once what the plane drops, which only the API of a newer host knows', async () => {
  const virtual = virtualPod({ ...RUNNING, metadata: { resourceVersion: '7' } })
  const known = { virtual, virtuals: await cacheOf(virtual), settled: new WeakMap() }
  const shownOf = async (name: string) => {
    const status = { phase: 'Running', volumeHealth: [{ name }] }
    return (await synced({ ...known, host: hostPod({ ...BOUND, status }) })).slice(2)
  }
  const written = [['replace', `${VIRTUAL_PATH}/status`, expect.anything()]]

  expect(await shownOf('one')).toEqual(written)
  expect(await shownOf('one')).toEqual([])
  expect(await shownOf('other')).toEqual(written)
})

test('does not say that the host has seen a change that it has only just got', async () => {
  const spec = { nodeName: 'node-1' }
  const virtual = virtualPod({ spec, metadata: { generation: 2 } })
  const host = hostPod({ spec, status: { observedGeneration: 1 }, metadata: { generation: 1 } })

  const done = await synced({ virtual, host, isCurrent: false })

  expect(done.at(-1)).toEqual(['replace', `${VIRTUAL_PATH}/status`, {}])
})

test('shows why a container is not added to a pod', async () => {
  const message = 'not synced to the host cluster: privileged is not allowed'
  const refused = [{ name: 'debugger', image: 'busybox', reason: 'SyncRefused', message } as const]

  const done = await synced({ virtual: virtualPod(RUNNING), host: hostPod(RUNNING), refused })

  const waiting = { reason: 'SyncRefused', message }
  expect(done.at(-1)).toMatchObject([
    'replace',
    `${VIRTUAL_PATH}/status`,
    { ephemeralContainerStatuses: [{ name: 'debugger', state: { waiting } }] },
  ])
})

test('makes no node for a bound pod of a DaemonSet', async () => {
  const metadata = { ownerReferences: [{ kind: 'DaemonSet', controller: true }] }
  const virtual = virtualPod({ ...RUNNING, metadata })

  expect(await synced({ virtual, host: hostPod(RUNNING) })).toEqual([UPDATED])
})

test('does nothing more when both sides agree', async () => {
  expect(await synced({ virtual: virtualPod(RUNNING), host: hostPod(RUNNING) })).toEqual([
    ['ensure node', 'node-1'],
    UPDATED,
  ])
})

test('deletes the host pod of a pod that is gone', async () => {
  expect(await synced({ host: hostPod() })).toEqual([DELETED])
})

test('gives a pod that is deleted the time it asks for, and keeps it until the host pod has ended', async () => {
  const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 }
  const virtual = virtualPod({ metadata: leaving })

  expect(await synced({ virtual, host: hostPod() })).toEqual([
    ['delete', HOST_PATH, { graceSeconds: 30, uid: 'host-1' }],
  ])
  expect(await synced({ virtual, host: hostPod({ metadata: leaving }) })).toEqual([])
  expect(await synced({ virtual })).toEqual([
    ['delete', VIRTUAL_PATH, { graceSeconds: 0, uid: 'uid-of-web' }],
  ])
})

test('hurries a host pod that is ending when the user no longer wants to wait', async () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z'
  const done = await synced({
    virtual: virtualPod({ metadata: { deletionTimestamp, deletionGracePeriodSeconds: 1 } }),
    host: hostPod({ metadata: { deletionTimestamp, deletionGracePeriodSeconds: 30 } }),
  })

  expect(done).toEqual([['delete', HOST_PATH, { graceSeconds: 1, uid: 'host-1' }]])
})

test('replaces a host pod that waits for the wrong nodes, unless it has changed meanwhile', async () => {
  const host = hostPod({ metadata: { resourceVersion: '7' } })

  expect(await synced({ virtual: virtualPod(), host, isMisplaced: true })).toEqual([
    ['delete', HOST_PATH, { resourceVersion: '7', uid: 'host-1' }],
  ])
})

test('removes the host pod of an earlier pod of the same name before it makes another', async () => {
  const virtual = virtualPod({ metadata: { uid: 'uid-of-another' } })

  expect(await synced({ virtual, host: hostPod() })).toEqual([DELETED])
})

test('says that a pod has failed whose host pod someone removed, and does not start it again', async () => {
  const message = 'the host pod was deleted on the host cluster'

  expect(await synced({ virtual: virtualPod(RUNNING) })).toEqual([
    ['replace', `${VIRTUAL_PATH}/status`, { phase: 'Failed', reason: 'HostPodRemoved', message }],
  ])
})

test('makes the host pod again that went while no syncer was there', async () => {
  expect(await synced({ virtual: virtualPod(RUNNING), wasObserved: false })).toEqual([CREATED])
})

test('fails a pod that went while no syncer was there, if a container must not run again', async () => {
  const spec = { nodeName: 'node-1', restartPolicy: 'Never', containers: [{ name: 'a' }] }
  const containerStatuses = [{ name: 'a', state: { terminated: { exitCode: 0 } } }]
  const virtual = virtualPod({ spec, status: { phase: 'Running', containerStatuses } })

  expect(await synced({ virtual, wasObserved: false })).toEqual([
    [
      'replace',
      `${VIRTUAL_PATH}/status`,
      {
        phase: 'Failed',
        reason: 'HostPodRemoved',
        message: 'the pod was stopped, and a container of it has ended that must not run again',
        containerStatuses,
      },
    ],
  ])
})

test('touches no pod of the host that is not its own', async () => {
  const host = hostPod({ metadata: { labels: { app: 'other' } } })

  await expect(synced({ virtual: virtualPod(), host })).rejects.toThrow(
    'does not belong to this plane',
  )
})

test.for(['Succeeded', 'Failed'])('leaves a pod alone that has %s', async (phase) => {
  expect(await synced({ virtual: virtualPod({ ...BOUND, status: { phase } }) })).toEqual([])
})

test.for([
  ['create', hostPod(BOUND)],
  ['replace', hostPod({ status: { phase: 'Running' } })],
] as const)('leaves what has changed meanwhile to the next time: %s', async ([verb, host]) => {
  const refuses = (what: string) => {
    if (what === verb) {
      throw refusal(409, 'the object has been modified')
    }
  }

  await expect(synced({ virtual: virtualPod(), host, refuses })).resolves.toContainEqual(
    expect.arrayContaining([verb]),
  )
})
