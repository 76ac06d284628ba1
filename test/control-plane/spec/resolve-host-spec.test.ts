import { expect, test } from 'vitest'
import { PRESETS } from '../../../src/control-plane/spec/presets.ts'
import { quantityValue } from '../../../src/control-plane/spec/fields/quantity.ts'
import { HELPER_IMAGE, helperImageOf } from '../../../src/control-plane/spec/resolve-host-spec.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import { thrownBy } from '../../support/thrown-by.ts'

/** The host section of the spec that a user's spec becomes. */
const hostOf = (user: UserSpec) => resolveSpec(user, 'kubernetes').host

test('is nano unless asked otherwise, and keeps to itself', () => {
  const { apiServer, controllerManager, etcd, storageSize } = PRESETS.nano

  expect(hostOf({})).toEqual({
    preset: 'nano',
    storage: { size: storageSize },
    expose: { type: 'none', annotations: {} },
    images: { registry: 'registry.k8s.io', pullSecrets: [], pullPolicy: 'IfNotPresent' },
    pods: { nodeSelector: {}, tolerations: [], labels: {}, annotations: {} },
    etcd,
    apiServer: { ...apiServer, egress: [] },
    controllerManager,
  })
})

test.for([
  ['nano', 1],
  ['ha', 2],
] as const)('gives %s that schedules itself %i schedulers', ([preset, replicas]) => {
  const sync = { nodes: true, scheduler: 'virtual' } as const

  expect(hostOf({ preset, sync })?.scheduler).toMatchObject({ replicas })
  expect(resolveSpec({ sync }, 'kubernetes').scheduler).toEqual({ extraArgs: {}, goGc: 50 })
})

test.for<[string, UserSpec]>([
  ['is not asked for', { sync: { nodes: true } }],
  ['is that of the host', { sync: { nodes: true, scheduler: 'host' } }],
  ['is for pods that it does not run', { sync: { enabled: false, scheduler: 'virtual' } }],
])('has no scheduler of its own when it %s', ([, user]) => {
  expect(hostOf(user)).not.toHaveProperty('scheduler')
  expect(resolveSpec(user, 'kubernetes')).not.toHaveProperty('scheduler')
})

const ANY_SCHEDULER = { sync: { nodes: true }, scheduler: { goGc: 100 } }
const OWN_SCHEDULER = '--sync-nodes --set sync.scheduler=virtual'

test('lets users of a new plane claim nothing that its owner does not name', () => {
  const services = { types: [], loadBalancerAddresses: [] }
  const network = { egress: ['public'], ingress: [] }
  const none = { hostnames: [], endpoints: [], services, tolerations: [], network }

  expect(hostOf({ sync: {} })).toMatchObject({
    policies: none,
    sync: { labels: [], annotations: [] },
  })
  expect(hostOf({ sync: {}, policies: { services: { types: ['NodePort'] } } })?.policies).toEqual({
    ...none,
    services: { ...services, types: ['NodePort'] },
  })
  expect(hostOf({})).not.toHaveProperty('policies')
})

test.for<[UserSpec, string, string]>([
  [
    { sync: { scheduler: 'virtual' } },
    '"sync.scheduler: virtual" needs "sync.nodes"',
    '--sync-nodes',
  ],
  [ANY_SCHEDULER, `"scheduler" configures the plane's own scheduler`, OWN_SCHEDULER],
  [{ policies: {} }, '"policies" are about pods', 'leave policies out'],
])('refuses what could not work: %j', ([user, message, hint]) => {
  expect(thrownBy(() => hostOf(user))).toMatchObject({
    code: 'INVALID_SPEC',
    message: expect.stringContaining(message),
    hints: expect.arrayContaining([hint]),
  })
})

test('encrypts Secrets unless asked not to', () => {
  const encryption = { secrets: false }

  expect(resolveSpec({}, 'kubernetes').encryption).toEqual({ secrets: true })
  expect(resolveSpec({ encryption }, 'kubernetes').encryption).toEqual(encryption)
})

test.for([
  ['nano', [1, 1, 1]],
  ['small', [1, 1, 1]],
  ['ha', [3, 2, 2]],
] as const)('gives %s %j pods', ([preset, counts]) => {
  const host = hostOf({ preset })
  const components = [host?.etcd, host?.apiServer, host?.controllerManager]

  expect(components.map((one) => one?.replicas)).toEqual(counts)
})

test('lets a larger preset ask for more, and limits memory above the request', () => {
  const memoryOf = (preset: keyof typeof PRESETS) => {
    const { apiServer, controllerManager, etcd } = PRESETS[preset]
    return [etcd, apiServer, controllerManager].map(({ resources }) => ({
      request: quantityValue(resources.requests['memory'] ?? '') ?? 0,
      limit: quantityValue(resources.limits['memory'] ?? '') ?? 0,
    }))
  }
  const total = (preset: keyof typeof PRESETS) =>
    memoryOf(preset).reduce((sum, { request }) => sum + request, 0)

  expect(total('nano')).toBeLessThan(total('small'))
  expect(total('small')).toBeLessThan(total('ha'))
  for (const { limit, request } of [...memoryOf('nano'), ...memoryOf('small'), ...memoryOf('ha')]) {
    expect(limit).toBeGreaterThan(2 * request)
  }
})

test('adds what was said about a component to the preset, and leaves the rest of it', () => {
  const limits = { memory: '3Gi', cpu: '2' }
  const host = hostOf({ apiServer: { replicas: 3, resources: { limits } } })

  const { requests } = PRESETS.nano.apiServer.resources
  expect(host?.apiServer).toEqual({ replicas: 3, resources: { requests, limits }, egress: [] })
  expect(host?.etcd).toEqual(PRESETS.nano.etcd)
})

test.for(['0', '0Mi', '0.0'])('leaves a limit of the preset out when it is to be %s', (zero) => {
  const host = hostOf({ etcd: { resources: { limits: { memory: zero } } } })

  expect(host?.etcd.resources.limits).toEqual({})
})

test('keeps whatever was said', () => {
  const user = {
    storage: { className: 'fast', size: '20Gi' },
    expose: { type: 'node-port', host: 'a.test', nodePort: 30_443, annotations: { a: 'b' } },
    images: { registry: 'r.test', pullSecrets: ['s'], pullPolicy: 'Always' },
    pods: {
      nodeSelector: { a: 'b' },
      tolerations: [{ key: 'a' }],
      affinity: {},
      priorityClassName: 'high',
      labels: { a: 'b' },
      annotations: { a: 'b' },
    },
    sync: {
      storageClasses: ['fast'],
      ingressClasses: ['nginx'],
      runtimeClasses: ['kata'],
      priorityClasses: { urgent: 'tenant-high' },
    },
  } satisfies UserSpec

  expect(hostOf(user)).toMatchObject(user)
})

test('has no field without a value: stored specs do not know undefined', () => {
  const host = hostOf({ expose: {}, pods: {}, storage: {}, images: {}, sync: {} })

  expect(JSON.parse(JSON.stringify(host))).toStrictEqual(host)
})

test.for([
  [{ ephemeral: true }, false],
  [{ preset: 'ha' }, false],
  [{ ephemeral: true, preset: 'ha', etcd: { replicas: 1 } }, false],
  [{ ephemeral: true, preset: 'ha' }, true],
  [{ ephemeral: true, etcd: { replicas: 3 } }, true],
] as const)('gives %j a keeper of its members: %j', ([user, isKept]) => {
  expect(hostOf(user)?.keeper !== undefined).toBe(isKept)
})

test.for([
  [{ preset: 'nano' }, '"preset"'],
  [{ storage: {} }, '"storage"'],
  [{ expose: {} }, '"expose"'],
  [{ images: {} }, '"images"'],
  [{ pods: {} }, '"pods"'],
  [{ etcd: { replicas: 1 } }, '"etcd.replicas"'],
  [{ apiServer: { resources: {} }, images: {} }, '"images", "apiServer.resources"'],
  [{ apiServer: { egress: [] } }, '"apiServer.egress"'],
] as const satisfies Array<[UserSpec, string]>)('refuses %j for local planes', ([user, names]) => {
  const error = thrownBy(() => resolveSpec(user, 'local'))

  expect(error).toMatchObject({ code: 'INVALID_SPEC' })
  expect(error.message).toContain(`does not support ${names}: `)
  expect(error.hints).toEqual([expect.stringContaining('--driver kubernetes')])
})

test('says nothing of a host for planes of processes', () => {
  const spec = resolveSpec({ encryption: { secrets: true }, audit: { policy: {} } })

  expect(spec.host).toBeUndefined()
  expect(spec.encryption).toEqual({ secrets: true })
  expect(spec.audit).toEqual({ policy: {} })
  expect(resolveSpec({})).not.toHaveProperty('encryption')
})

const BACKUP = { backup: { schedule: 'daily', store: 's3://backups' } } as const

test.for<[string, UserSpec, string]>([
  ['Node’s own image', {}, HELPER_IMAGE],
  ['the image of the spec', { images: { helper: 'mine' }, sync: { image: 'other' } }, 'mine'],
  ['the image of its syncer', { sync: { image: 'mine' }, ...BACKUP }, 'mine'],
  ['the image of its keeper', { keeper: { image: 'mine' }, sync: {}, ...BACKUP }, 'mine'],
])('runs vplane’s own programs in %s', ([, userSpec, image]) => {
  expect(helperImageOf(resolveSpec(userSpec, 'kubernetes'))).toBe(image)
})

test('runs syncer and keeper in the helper image too, unless the spec names another one', () => {
  const images = { helper: 'mine' }

  const own = { sync: { image: 'syncer' }, keeper: { image: 'keeper' } }

  const host = hostOf({ images, sync: {}, ...BACKUP })
  const named = hostOf({ images, ...own, ...BACKUP })

  expect([host?.sync?.image, host?.keeper?.image]).toEqual(['mine', 'mine'])
  expect([named?.sync?.image, named?.keeper?.image]).toEqual(['syncer', 'keeper'])
})
