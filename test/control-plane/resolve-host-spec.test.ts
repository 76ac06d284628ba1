import { expect, test } from 'vitest'
import { PRESETS } from '../../src/control-plane/presets.ts'
import { quantityValue } from '../../src/control-plane/quantity.ts'
import { resolveSpec } from '../../src/control-plane/resolve-spec.ts'
import type { UserSpec } from '../../src/control-plane/spec.ts'
import { thrownBy } from '../support/thrown-by.ts'

/** The host section of what is made of a user's spec. */
const hostOf = (user: UserSpec) => resolveSpec(user, 'kubernetes').host

test('is nano unless asked otherwise, and keeps to itself', () => {
  const { storageSize, ...workloads } = PRESETS.nano

  expect(hostOf({})).toEqual({
    preset: 'nano',
    storage: { size: storageSize },
    expose: { type: 'none', annotations: {} },
    images: { registry: 'registry.k8s.io', pullSecrets: [], pullPolicy: 'IfNotPresent' },
    pods: { nodeSelector: {}, tolerations: [], labels: {}, annotations: {} },
    ...workloads,
  })
})

test('encrypts Secrets unless asked not to', () => {
  expect(resolveSpec({}, 'kubernetes').encryption).toEqual({ secrets: true })
  expect(resolveSpec({ encryption: { secrets: false } }, 'kubernetes').encryption).toEqual({
    secrets: false,
  })
})

test.for([
  ['nano', [1, 1, 1]],
  ['small', [1, 1, 1]],
  ['ha', [3, 2, 2]],
] as const)('gives %s %j pods', ([preset, counts]) => {
  const host = hostOf({ preset })

  expect(
    [host?.etcd, host?.apiServer, host?.controllerManager].map((one) => one?.replicas),
  ).toEqual(counts)
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
  const { apiServer, etcd } = hostOf({
    apiServer: { replicas: 3, resources: { limits: { memory: '3Gi', cpu: '2' } } },
  }) ?? { apiServer: undefined, etcd: undefined }

  expect(apiServer).toEqual({
    replicas: 3,
    resources: {
      requests: PRESETS.nano.apiServer.resources.requests,
      limits: { memory: '3Gi', cpu: '2' },
    },
  })
  expect(etcd).toEqual(PRESETS.nano.etcd)
})

test.for(['0', '0Mi', '0.0'])(
  'leaves a limit of the preset out when it is said to be %s',
  (zero) => {
    const host = hostOf({ etcd: { resources: { limits: { memory: zero } } } })

    expect(host?.etcd.resources.limits).toEqual({})
  },
)

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
  } satisfies UserSpec

  expect(hostOf(user)).toMatchObject(user)
})

test('has no field without a value: stored specs do not know undefined', () => {
  const host = hostOf({ expose: {}, pods: {}, storage: {}, images: {} })

  expect(JSON.parse(JSON.stringify(host))).toStrictEqual(host)
})

test('gives an ephemeral plane one member of etcd, or says why not', () => {
  expect(hostOf({ ephemeral: true })?.etcd.replicas).toBe(1)
  expect(hostOf({ ephemeral: true, preset: 'ha', etcd: { replicas: 1 } })?.apiServer.replicas).toBe(
    2,
  )

  const error = thrownBy(() => hostOf({ ephemeral: true, preset: 'ha' }))

  expect(error.code).toBe('INVALID_SPEC')
  expect(error.message).toContain('one member of etcd, not 3')
  expect(error.hints).toContain('--set etcd.replicas=1')
})

test.for([
  [{ preset: 'nano' }, '"preset"'],
  [{ storage: {} }, '"storage"'],
  [{ expose: {} }, '"expose"'],
  [{ images: {} }, '"images"'],
  [{ pods: {} }, '"pods"'],
  [{ etcd: { replicas: 1 } }, '"etcd.replicas"'],
  [{ apiServer: { resources: {} }, images: {} }, '"images", "apiServer.resources"'],
] as const satisfies Array<[UserSpec, string]>)(
  'refuses %j for planes of processes, by name',
  ([user, names]) => {
    const error = thrownBy(() => resolveSpec(user, 'local'))

    expect(error).toMatchObject({ code: 'INVALID_SPEC' })
    expect(error.message).toContain(`have no ${names}: `)
    expect(error.hints).toEqual([expect.stringContaining('--driver kubernetes')])
  },
)

test('says nothing of a host for planes of processes', () => {
  const spec = resolveSpec({ encryption: { secrets: true }, audit: { policy: {} } })

  expect(spec.host).toBeUndefined()
  expect(spec.encryption).toEqual({ secrets: true })
  expect(spec.audit).toEqual({ policy: {} })
  expect(resolveSpec({})).not.toHaveProperty('encryption')
})
