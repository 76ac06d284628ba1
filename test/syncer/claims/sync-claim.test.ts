import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { syncClaim } from '../../../src/syncer/claims/sync-claim.ts'
import { type ObjectKey, parseObjectKey } from '../../../src/kube/cache/object-key.ts'
import type { Report } from '../../../src/syncer/events/reporter.ts'
import { type MemoryRequest, MemoryHostApi, refusal } from '../../support/api/memory-host-api.ts'
import { SCOPE, virtualObject } from '../translate/some-objects.ts'

const CLAIM = '/api/v1/namespaces/shop/persistentvolumeclaims/web'
const HOST_CLAIM = '/api/v1/namespaces/team-a/persistentvolumeclaims/web-x-shop-x-dev'
const KUBE_SYSTEM = '/api/v1/namespaces/kube-system'
const VOLUMES = '/api/v1/persistentvolumes'
const HOST_VOLUME = `${VOLUMES}/host-volume`

describe('a claim', () => {
  test('gets a host claim that can outlive the plane', async () => {
    const { claim, host, settle } = worldWith()

    await settle()

    expect(host.objects.get(HOST_CLAIM)).toMatchObject({
      spec: { resources: { requests: { storage: '1Gi' } } },
    })
    expect(host.objects.get(HOST_CLAIM)).not.toHaveProperty('metadata.ownerReferences')
    expect(claim()).toMatchObject({ status: { phase: 'Pending' } })
  })

  test('is bound to a volume of the plane that stands for what the host gave it', async () => {
    const { claim, settle, uid, volume } = await boundWorld()

    expect(claim()).toMatchObject({
      metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: { volumeName: `pvc-${uid()}` },
      status: { phase: 'Bound', capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce'] },
    })
    expect(volume()).toMatchObject({
      metadata: { labels: { 'vplane.dev/virtual': 'true' } },
      spec: {
        capacity: { storage: '2Gi' },
        claimRef: { namespace: 'shop', name: 'web', uid: uid() },
        csi: { driver: 'vplane.dev', volumeHandle: 'web-x-shop-x-dev' },
        storageClassName: 'default',
      },
      status: { phase: 'Bound' },
    })
    expect(await settle()).toBe(0)
  })

  test.for([1, 2, 3, 4])('is bound after an interruption of write %i, too', async (lastWrite) => {
    let writes = 0
    const { bind, claim, settle, volume } = worldWith({
      onPlane: ({ verb }) => {
        writes += Number(verb === 'create' || verb === 'replace')
        if (writes === lastWrite) {
          throw new Error('killed')
        }
      },
    })
    await settle()
    bind()
    await expect(settle()).rejects.toThrow('killed')

    await settle()

    const bound = { status: { phase: 'Bound' } }
    expect([claim(), volume()]).toMatchObject([bound, bound])
  })

  test('grows on the host, and shows when it has', async () => {
    const { bind, change, claim, host, settle, volume } = await boundWorld()

    change({ spec: { ...Object(claim()?.['spec']), resources: requests('4Gi') } })
    await settle()
    expect(host.objects.get(HOST_CLAIM)).toMatchObject({
      spec: { resources: requests('4Gi'), storageClassName: 'local', volumeName: 'host-volume' },
    })
    bind({ capacity: { storage: '4Gi' } })
    await settle()

    expect(claim()).toMatchObject({ status: { capacity: { storage: '4Gi' } } })
    expect(volume()).toMatchObject({ spec: { capacity: { storage: '4Gi' } } })
  })

  test('takes its host claim and its volume along when it is gone', async () => {
    const { host, plane, settle } = await boundWorld()
    plane.remove(CLAIM)

    await settle()

    expect([...host.objects.keys(), ...plane.objects.keys()]).toEqual([KUBE_SYSTEM])
  })

  test('that is made again under its name starts without the data of the former one', async () => {
    const { bind, claim, host, plane, settle, uid } = await boundWorld()
    const former = host.objects.get(HOST_CLAIM)?.metadata.uid
    plane.remove(CLAIM)
    plane.put(CLAIM, newClaim())

    await settle()

    expect(host.objects.get(HOST_CLAIM)?.metadata.uid).not.toBe(former)
    expect(claim()).not.toHaveProperty('spec.volumeName')
    bind()
    await settle()
    expect([...plane.objects.keys()]).toEqual([KUBE_SYSTEM, CLAIM, `${VOLUMES}/pvc-${uid()}`])
  })
})

describe('a claim of a plane that schedules', () => {
  const SELECTED = 'volume.kubernetes.io/selected-node'
  const NODE = { [SELECTED]: 'node-1' }
  const selected = () => {
    const world = worldWith({ scheduler: 'virtual' })
    world.change({ metadata: { ...world.claim()?.metadata, annotations: NODE } })
    return world
  }

  test('is told of on the host near the node that was chosen', async () => {
    const { host, settle } = selected()

    await settle()

    expect(host.objects.get(HOST_CLAIM)).toMatchObject({ metadata: { annotations: NODE } })
    expect(await settle()).toBe(0)
  })

  test('leaves the choice to be made again when the host has taken it away', async () => {
    const { claim, host, settle } = selected()
    await settle()
    const known = host.objects.get(HOST_CLAIM)
    const { [SELECTED]: _, ...annotations } = known?.metadata.annotations ?? {}
    host.put(HOST_CLAIM, withMetadata(known, { annotations }))

    await settle()

    expect(claim()?.metadata.annotations).not.toHaveProperty([SELECTED])
    expect(await settle()).toBe(0)
  })

  test('is bound to a volume that says from which nodes it can be reached', async () => {
    const { bind, host, settle, volume } = selected()
    const spec = { nodeAffinity: { required: { nodeSelectorTerms: [{ matchFields: [] }] } } }
    host.put(HOST_VOLUME, virtualObject('PersistentVolume', { spec }))
    await settle()
    bind()

    await settle()

    expect(volume()).toMatchObject({ spec })
    host.remove(HOST_VOLUME)
    expect(await settle()).toBe(0)
  })
})

describe('data stays', () => {
  test('while its claim waits for finalizers', async () => {
    const { change, claim, host, settle } = await boundWorld()
    change({ metadata: { ...claim()?.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })

    expect(await settle()).toBe(0)
    expect(host.objects.has(HOST_CLAIM)).toBe(true)
  })

  test('when the plane may no longer name its class', async () => {
    const { host, reports, settle, storageClasses } = await boundWorld()
    storageClasses.clear()

    expect(await settle()).toBe(0)
    expect(host.objects.has(HOST_CLAIM)).toBe(true)
    expect(reports).toContainEqual(expect.objectContaining({ reason: 'SyncRefused' }))
  })

  test('when the plane was emptied while it was looked after', async () => {
    const { host, plane, settle } = await boundWorld()
    plane.objects.clear()
    plane.put(KUBE_SYSTEM, virtualObject('Namespace'))

    await expect(settle()).rejects.toThrow('was emptied or restored')
    expect(host.objects.has(HOST_CLAIM)).toBe(true)
  })

  test('when the plane was restored to what it was before its claim', async () => {
    const { host, plane, settle } = await boundWorld()
    annotate(host, 'vplane.dev/before-restore', 'now')
    plane.remove(CLAIM)

    await expect(settle()).rejects.toThrow('existed before plane "dev" was restored')
    expect(host.objects.has(HOST_CLAIM)).toBe(true)
  })

  test('goes with a claim that a restored plane knew', async () => {
    const { host, plane, settle } = await boundWorld()
    annotate(host, 'vplane.dev/before-restore', 'now')

    await settle()
    await settle()
    expect(host.objects.get(HOST_CLAIM)?.metadata.annotations).not.toHaveProperty([
      'vplane.dev/before-restore',
    ])
    plane.remove(CLAIM)
    await settle()

    expect(host.objects.has(HOST_CLAIM)).toBe(false)
  })

  test('when its claim is of another plane, or of an earlier life of this one', async () => {
    const { host, plane, settle } = await boundWorld()
    annotate(host, 'vplane.dev/plane-id', 'earlier')
    plane.remove(CLAIM)

    await expect(settle()).rejects.toThrow('does not belong to this plane')
    expect(host.objects.has(HOST_CLAIM)).toBe(true)
  })
})

test('a claim whose data is gone is lost, and gets no empty volume behind its back', async () => {
  const { claim, host, plane, reports, settle } = await boundWorld()
  host.remove(HOST_CLAIM)

  await settle()

  expect(claim()).toMatchObject({ status: { phase: 'Lost' } })
  expect([...host.objects.keys()]).toEqual([])
  expect([...plane.objects.keys()]).toEqual([KUBE_SYSTEM, CLAIM])
  expect(reports).toContainEqual(expect.objectContaining({ reason: 'ClaimLost' }))
})

test('what the host says of a claim names that of the plane', async () => {
  const { bind, claim, settle } = await boundWorld()
  const message = 'resizing claim "team-a/web-x-shop-x-dev" failed'
  bind({ conditions: [{ type: 'ControllerResizeError', status: 'True', message }] })

  await settle()

  expect(claim()).toMatchObject({
    status: { conditions: [{ message: 'resizing claim "shop/web" failed' }] },
  })
})

test('says so when the host refuses a claim, and asks again', async () => {
  const { host, reports, settle } = worldWith({
    onHost: ({ verb }) => {
      if (verb === 'create') {
        throw refusal(403, 'exceeded quota: storage')
      }
    },
  })

  await expect(settle()).rejects.toThrow('exceeded quota')
  expect([...host.objects.keys()]).toEqual([])
  expect(reports).toMatchObject([
    { reason: 'HostRefused', message: 'refused by the host cluster: exceeded quota: storage' },
  ])
})

function annotate(host: MemoryHostApi, key: string, value: string): void {
  const known = host.objects.get(HOST_CLAIM)
  const annotations = { ...known?.metadata.annotations, [key]: value }
  host.put(HOST_CLAIM, withMetadata(known, { annotations }))
}

interface World {
  onPlane?: (request: MemoryRequest) => void
  onHost?: World['onPlane']
  scheduler?: 'virtual'
}

/** A plane with one claim, and its host. */
function worldWith({ onHost = () => {}, onPlane = () => {}, scheduler }: World = {}) {
  const plane = new MemoryHostApi({ onRequest: onPlane })
  const host = new MemoryHostApi({ onRequest: onHost })
  const reports: Report[] = []
  const storageClasses = new Map([['default', undefined]])
  const { metadata: kubeSystem } = plane.put(KUBE_SYSTEM, virtualObject('Namespace'))
  plane.put(CLAIM, newClaim())
  const claimsOf = (api: MemoryHostApi) => ({
    get: (key: ObjectKey) => {
      const { name, namespace } = parseObjectKey(key)
      return api.objects.get(`/api/v1/namespaces/${namespace}/persistentvolumeclaims/${name}`)
    },
  })
  const options = {
    scope: { ...SCOPE, planeId: kubeSystem.uid ?? '' },
    plane,
    host,
    persistentvolumeclaims: { virtual: claimsOf(plane), host: claimsOf(host) },
    volumes: {
      get: (key: ObjectKey) => plane.objects.get(`${VOLUMES}${key}`),
      values: () => [...plane.objects.values()].filter(({ kind }) => kind === 'PersistentVolume'),
    },
    hostClasses: () => ({ storageClasses }),
    surroundings: { scheduler },
    settled: new WeakMap(),
    unreadable: new WeakMap(),
    reporter: { report: async (_: KubeObject, report: Report) => void reports.push(report) },
  }
  const countWrites = () => plane.writes.length + host.writes.length
  const claim = () => plane.objects.get(CLAIM)
  const uid = () => claim()?.metadata.uid
  return {
    plane,
    host,
    reports,
    storageClasses,
    claim,
    uid,
    volume: () => plane.objects.get(`${VOLUMES}/pvc-${uid()}`),
    change: (fields: object) => plane.put(CLAIM, { ...newClaim(), ...claim(), ...fields }),
    /** The host gives the claim a volume. */
    bind: (changes = {}) => {
      const known = host.objects.get(HOST_CLAIM) ?? newClaim()
      const given = { storageClassName: 'local', volumeName: 'host-volume' }
      const spec = { ...Object(known['spec']), ...given }
      const capacity = { storage: '2Gi' }
      const status = { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity, ...changes }
      host.put(HOST_CLAIM, { ...known, spec, status })
    },
    /** Syncs until nothing is left to do, and tells how much was written. */
    settle: async () => {
      const before = countWrites()
      for (let known = -1; known !== countWrites();) {
        known = countWrites()
        await syncClaim(options, 'shop/web', AbortSignal.timeout(5000))
      }
      return countWrites() - before
    },
  }
}

async function boundWorld() {
  const world = worldWith()
  await world.settle()
  world.bind()
  await world.settle()
  return world
}

function newClaim(): KubeObject {
  const accessModes = ['ReadWriteOnce']
  const spec = { accessModes, resources: requests('1Gi'), storageClassName: 'default' }
  return virtualObject('PersistentVolumeClaim', { spec, status: { phase: 'Pending' } })
}

function requests(storage: string) {
  return { requests: { storage } }
}

function withMetadata(object: KubeObject | undefined, metadata: object): KubeObject {
  const known = object ?? newClaim()
  return { ...known, metadata: { ...known.metadata, ...metadata } }
}
