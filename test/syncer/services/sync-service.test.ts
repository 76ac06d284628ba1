import { expect, test } from 'vitest'
import { isRecord } from '../../../src/shared/json-fields.ts'
import { keyOf } from '../../../src/kube/cache/object-key.ts'
import { withMarks } from '../../../src/syncer/translate/written.ts'
import { syncService } from '../../../src/syncer/services/sync-service.ts'
import { toHostService } from '../../../src/syncer/translate/kinds/service.ts'
import { refusal } from '../../support/api/memory-host-api.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { cacheOf } from '../engine/some-caches.ts'
import { SCOPE, virtualObject } from '../translate/some-objects.ts'

const VIRTUAL_PATH = '/api/v1/namespaces/shop/services/web'
const COLLECTION = '/api/v1/namespaces/team-a/services'
const HOST_PATH = `${COLLECTION}/web-x-shop-x-dev`

const service = (changes: Record<string, unknown> = {}, metadata = {}): KubeObject => {
  const ports = [{ port: 80, nodePort: 30_080 }]
  const address = { clusterIP: '10.96.0.7', clusterIPs: ['10.96.0.7'] }
  const spec = { type: 'ClusterIP', ...address, selector: { app: 'web' }, ports, ...changes }
  const status = { loadBalancer: {} }
  return virtualObject('Service', { spec, status }, { resourceVersion: '3', ...metadata })
}

const hostOf = (virtual: KubeObject, spec = {}, loadBalancer = {}): KubeObject => {
  const made = withMarks(toHostService(SCOPE, virtual) ?? virtual)
  return {
    ...made,
    metadata: { ...made.metadata, uid: 'h-1', resourceVersion: '7' },
    spec: { ...Object(made['spec']), ...spec },
    status: { loadBalancer },
  }
}

interface Situation {
  virtual?: KubeObject | undefined
  host?: KubeObject
  /** Why the host will have no Service at all. */
  refuses?: string
  takenByOthers?: string[]
}

/** Syncs the one Service there is, and tells what was done. */
async function synced({ host, refuses, takenByOthers = [], virtual }: Situation) {
  const done: unknown[] = []
  const specOf = ({ spec }: KubeObject) => (isRecord(spec) ? spec : {})
  await syncService(
    {
      scope: SCOPE,
      owner: undefined,
      settled: new WeakMap(),
      unreadable: new WeakMap(),
      reporter: {
        report: async (_, { message, reason }) => void done.push(['report', reason, message]),
      },
      services: { virtual: await cacheOf(virtual), host: await cacheOf(host) },
      plane: {
        replace: async (path, object) => {
          const { clusterIP, type } = specOf(object)
          const said = path.endsWith('status') ? object['status'] : [type, clusterIP]
          done.push(['replace', path, said])
          return { ...object, metadata: { ...object.metadata, resourceVersion: '4' } }
        },
      },
      host: {
        create: async (path, object) => {
          const { clusterIP } = specOf(object)
          done.push(['create', path, clusterIP])
          if (refuses !== undefined) {
            throw refusal(422, refuses)
          }
          if (takenByOthers.includes(String(clusterIP))) {
            throw refusal(422, 'provided IP is already allocated')
          }
          return { ...object, spec: { ...specOf(object), clusterIP: clusterIP ?? '10.96.5.5' } }
        },
        replace: async (path, object) => {
          done.push(['replace', path, specOf(object)['ports']])
          return object
        },
        delete: async (path, { uid } = {}) => {
          done.push(['delete', path, uid])
          return true
        },
      },
    },
    keyOf(virtual ?? service()),
    AbortSignal.timeout(5000),
  ).catch((error: unknown) => {
    if (refuses === undefined) {
      throw error
    }
  })
  return done
}

/** The address is changed, which takes another type for a moment. */
const MOVED = [
  ['replace', VIRTUAL_PATH, ['ExternalName', undefined]],
  ['replace', VIRTUAL_PATH, ['ClusterIP', '10.96.5.5']],
]
const HEADLESS = { clusterIP: 'None', clusterIPs: ['None'] }

test('makes the host Service at the address that the plane has given', async () => {
  expect(await synced({ virtual: service() })).toEqual([['create', COLLECTION, '10.96.0.7']])
})

test('gives both sides an address that the host has free when another Service has it', async () => {
  expect(await synced({ virtual: service(), takenByOthers: ['10.96.0.7'] })).toEqual([
    ['create', COLLECTION, '10.96.0.7'],
    ['create', COLLECTION, undefined],
    ...MOVED,
  ])
})

test('continues where a change of the address was interrupted', async () => {
  const virtual = service()
  const host = hostOf(virtual, { clusterIP: '10.96.5.5' })

  expect(await synced({ virtual, host })).toEqual(MOVED)
})

test('ends a change of the address that was cut off in its middle, and leaves the host Service', async () => {
  const none = { clusterIP: undefined, clusterIPs: undefined }
  const virtual = service({ type: 'ExternalName', externalName: 'moving.invalid', ...none })
  const host = hostOf(service(), { type: 'NodePort', clusterIP: '10.96.5.5' })

  expect(await synced({ virtual, host })).toEqual([
    ['replace', VIRTUAL_PATH, ['NodePort', '10.96.5.5']],
  ])
})

test('does nothing when both sides agree', async () => {
  const virtual = service()

  expect(await synced({ virtual, host: hostOf(virtual) })).toEqual([])
})

test('brings changes to the host, and leaves what the host has given', async () => {
  const host = hostOf(service(), { clusterIP: '10.96.0.7', ipFamilies: ['IPv4'] })
  const virtual = service({ ports: [{ port: 81 }] })

  expect(await synced({ virtual, host })).toEqual([['replace', HOST_PATH, [{ port: 81 }]]])
})

test('makes headless Services, whose address is none on both sides', async () => {
  const virtual = service(HEADLESS)

  expect(await synced({ virtual })).toEqual([['create', COLLECTION, 'None']])
  expect(await synced({ virtual, host: hostOf(virtual) })).toEqual([])
})

const PREFERRED = { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4'] }

test.for([
  ['one family', {}],
  ['both families', { clusterIPs: ['10.96.0.7', 'fd00::7'], ipFamilies: ['IPv4', 'IPv6'] }],
] as const)(
  'leaves a Service that prefers two families at its address where the host has %s',
  async ([, given]) => {
    const virtual = service(PREFERRED)

    expect(await synced({ virtual })).toEqual([['create', COLLECTION, '10.96.0.7']])
    expect(await synced({ virtual, host: hostOf(virtual, given) })).toEqual([])
  },
)

test('takes the address of the first family where a host of both has given others', async () => {
  const virtual = service(PREFERRED)
  const host = hostOf(virtual, { clusterIP: '10.96.5.5', clusterIPs: ['10.96.5.5', 'fd00::7'] })

  expect(await synced({ virtual, host })).toEqual(MOVED)
})

test('says so in an Event when the host will not have a Service, as one of two families on a host of one', async () => {
  const refuses = 'this cluster is not configured for dual-stack services'
  const reported = ['report', 'HostRefused', expect.stringContaining(refuses)]

  expect(await synced({ virtual: service(), refuses })).toEqual([
    ['create', COLLECTION, '10.96.0.7'],
    ['create', COLLECTION, undefined],
    reported,
  ])
  expect(await synced({ virtual: service(HEADLESS), refuses })).toEqual([
    ['create', COLLECTION, 'None'],
    reported,
  ])
})

test('shows what a load balancer has given', async () => {
  const virtual = service({ type: 'LoadBalancer' })
  const loadBalancer = { ingress: [{ ip: '192.0.2.1' }] }
  const host = hostOf(virtual, {}, loadBalancer)

  expect(await synced({ virtual, host })).toEqual([
    ['replace', `${VIRTUAL_PATH}/status`, { loadBalancer }],
  ])
})

test.for([
  ['is gone', undefined],
  ['is leaving', service({}, { deletionTimestamp: 'now' })],
  ['is an external name now', service({ type: 'ExternalName', externalName: 'a.test' })],
] as const)('removes the host Service of one that %s', async ([, virtual]) => {
  expect(await synced({ virtual, host: hostOf(service()) })).toEqual([['delete', HOST_PATH, 'h-1']])
})

test("leaves the plane's own API alone", async () => {
  const virtual = service({}, { name: 'kubernetes', namespace: 'default' })

  expect(await synced({ virtual })).toEqual([])
})

test('touches no Service of the host that is not its own', async () => {
  const metadata = { name: 'web-x-shop-x-dev', namespace: 'team-a' }
  const host = { ...hostOf(service()), metadata }

  await expect(synced({ virtual: service(), host })).rejects.toThrow(
    'does not belong to this plane',
  )
  expect(await synced({ host })).toEqual([])
})
