import { expect, test } from 'vitest'
import { isRecord } from '../../../src/shared/json-fields.ts'
import { keyOf, type ObjectKey } from '../../../src/syncer/scope/object-key.ts'
import { withMarks } from '../../../src/syncer/host-objects/host-objects.ts'
import { syncService } from '../../../src/syncer/services/sync-service.ts'
import { toHostService } from '../../../src/syncer/translate/kinds/service.ts'
import { refusal } from '../../support/api/memory-host-api.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'

const scope = { plane: 'dev', planeId: 'plane-1', host: { namespace: 'team-a' } }
const VIRTUAL_PATH = '/api/v1/namespaces/default/services/web'
const COLLECTION = '/api/v1/namespaces/team-a/services'
const HOST_PATH = `${COLLECTION}/web-x-default-x-dev`

const service = (spec: Record<string, unknown> = {}, metadata = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default', uid: 'v-1', resourceVersion: '3', ...metadata },
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.96.0.7',
    clusterIPs: ['10.96.0.7'],
    selector: { app: 'web' },
    ports: [{ port: 80, nodePort: 30_080 }],
    ...spec,
  },
  status: { loadBalancer: {} },
})

const hostOf = (virtual: KubeObject, spec = {}, more = {}): KubeObject => {
  const made = withMarks(toHostService(scope, virtual) ?? virtual)
  return {
    ...made,
    metadata: { ...made.metadata, uid: 'h-1', resourceVersion: '7' },
    spec: { ...Object(made['spec']), ...spec },
    status: { loadBalancer: {} },
    ...more,
  }
}

/** Syncs the one Service there is, and tells what was done. */
async function synced(
  objects: { virtual?: KubeObject; host?: KubeObject },
  {
    key = 'default/web',
    refuses,
    takenByOthers = [],
  }: { key?: ObjectKey; refuses?: string; takenByOthers?: string[] } = {},
) {
  const done: unknown[] = []
  const cacheOf = (object: KubeObject | undefined) => ({
    get: (one: ObjectKey) => (object !== undefined && keyOf(object) === one ? object : undefined),
  })
  const specOf = ({ spec }: KubeObject) => (isRecord(spec) ? spec : {})
  await syncService(
    {
      scope,
      owner: undefined,
      settled: new WeakMap(),
      reporter: {
        report: async (_, { message, reason }) => void done.push(['report', reason, message]),
      },
      services: { virtual: cacheOf(objects.virtual), host: cacheOf(objects.host) },
      plane: {
        replace: async (path, object) => {
          const { clusterIP, type } = specOf(object)
          done.push([
            'replace',
            path,
            path.endsWith('status') ? object['status'] : [type, clusterIP],
          ])
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
    key,
    AbortSignal.timeout(5000),
  ).catch((error: unknown) => {
    if (refuses === undefined) {
      throw error
    }
  })
  return done
}

test('makes the host Service at the address that the plane has given', async () => {
  expect(await synced({ virtual: service() })).toEqual([['create', COLLECTION, '10.96.0.7']])
})

test('gives both sides an address that the host has free when another Service has it', async () => {
  expect(await synced({ virtual: service() }, { takenByOthers: ['10.96.0.7'] })).toEqual([
    ['create', COLLECTION, '10.96.0.7'],
    ['create', COLLECTION, undefined],
    ['replace', VIRTUAL_PATH, ['ExternalName', undefined]],
    ['replace', VIRTUAL_PATH, ['ClusterIP', '10.96.5.5']],
  ])
})

test('goes on where a change of the address was cut off', async () => {
  const virtual = service()
  const host = hostOf(virtual, { clusterIP: '10.96.5.5' })

  expect(await synced({ virtual, host })).toEqual([
    ['replace', VIRTUAL_PATH, ['ExternalName', undefined]],
    ['replace', VIRTUAL_PATH, ['ClusterIP', '10.96.5.5']],
  ])
})

test('ends a change of the address that was cut off in its middle, and leaves the host Service', async () => {
  const virtual = service({
    type: 'ExternalName',
    externalName: 'moving.invalid',
    clusterIP: undefined,
    clusterIPs: undefined,
  })
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
  const virtual = service({ clusterIP: 'None', clusterIPs: ['None'] })

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

  expect(await synced({ virtual, host })).toEqual([
    ['replace', VIRTUAL_PATH, ['ExternalName', undefined]],
    ['replace', VIRTUAL_PATH, ['ClusterIP', '10.96.5.5']],
  ])
})

test('says so in an Event when the host will not have a Service, as one of two families on a host of one', async () => {
  const refuses = 'this cluster is not configured for dual-stack services'
  const reported = ['report', 'HostRefused', expect.stringContaining(refuses)]

  expect(await synced({ virtual: service() }, { refuses })).toEqual([
    ['create', COLLECTION, '10.96.0.7'],
    ['create', COLLECTION, undefined],
    reported,
  ])
  const headless = service({ clusterIP: 'None', clusterIPs: ['None'] })
  expect(await synced({ virtual: headless }, { refuses })).toEqual([
    ['create', COLLECTION, 'None'],
    reported,
  ])
})

test('shows what a load balancer has given', async () => {
  const virtual = service({ type: 'LoadBalancer' })
  const loadBalancer = { ingress: [{ ip: '192.0.2.1' }] }
  const host = hostOf(virtual, {}, { status: { loadBalancer } })

  expect(await synced({ virtual, host })).toEqual([
    ['replace', `${VIRTUAL_PATH}/status`, { loadBalancer }],
  ])
})

test.for([
  ['is gone', undefined],
  ['is leaving', service({}, { deletionTimestamp: 'now' })],
  ['is an external name now', service({ type: 'ExternalName', externalName: 'a.test' })],
] as const)('removes the host Service of one that %s', async ([, virtual]) => {
  const host = hostOf(service())

  expect(await synced(virtual === undefined ? { host } : { host, virtual })).toEqual([
    ['delete', HOST_PATH, 'h-1'],
  ])
})

test("leaves the plane's own API alone", async () => {
  const virtual = service({}, { name: 'kubernetes' })

  expect(await synced({ virtual }, { key: 'default/kubernetes' })).toEqual([])
})

test('touches no Service of the host that is not its own', async () => {
  const host = {
    ...hostOf(service()),
    metadata: { name: 'web-x-default-x-dev', namespace: 'team-a' },
  }

  await expect(synced({ virtual: service(), host })).rejects.toThrow(
    'does not belong to this plane',
  )
  expect(await synced({ host })).toEqual([])
})
