import { expect, test } from 'vitest'
import { DEFAULT_KUBERNETES_VERSION } from '../../../src/control-plane/spec/kubernetes-version.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import { thrownBy } from '../../support/thrown-by.ts'

test('fills in every default', () => {
  const component = { extraArgs: {}, goGc: 50 }

  expect(resolveSpec({})).toEqual({
    version: DEFAULT_KUBERNETES_VERSION,
    etcdVersion: '3.6.16',
    ephemeral: false,
    apiGroups: 'all',
    serviceRange: '10.96.0.0/16',
    clusterDomain: 'cluster.local',
    extraSans: [],
    pki: { algorithm: 'ecdsa' },
    authentication: { jwt: [] },
    featureGates: {},
    etcd: component,
    apiServer: component,
    controllerManager: component,
  })
})

test('lets a plane pause itself, unless it is ephemeral', () => {
  expect(resolveSpec({ idle: '30m' }).idle).toBe('30m')
  expect(resolveSpec({ idle: '30m' }, 'kubernetes').host?.keeper).toBeDefined()
  expect(thrownBy(() => resolveSpec({ idle: '30m', ephemeral: true }))).toMatchObject({
    code: 'INVALID_SPEC',
    message: '"idle" is not possible for an ephemeral plane: a pause would delete its data',
  })
})

test('has a keeper for a plane that renews its certificates', () => {
  expect(resolveSpec({ renew: true })).toMatchObject({ renew: true })
  expect(resolveSpec({ renew: true }, 'kubernetes').host?.keeper).toBeDefined()
  expect(resolveSpec({ renew: false }, 'kubernetes').host?.keeper).toBeUndefined()
})

test('has a keeper for a plane that is to be scraped, which only one in a host cluster is', () => {
  const metrics = { serviceMonitor: true, labels: { release: 'prometheus' } }

  expect(resolveSpec({ metrics }, 'kubernetes').host).toMatchObject({
    monitor: { labels: { release: 'prometheus' } },
    keeper: { replicas: 1 },
  })
  expect(resolveSpec({ metrics: { labels: {} } }, 'kubernetes').host).not.toHaveProperty('keeper')
  expect(thrownBy(() => resolveSpec({ metrics })).message).toContain('not support "metrics"')
})

test('keeps whatever was said', () => {
  const user = {
    version: '1.34.4',
    ephemeral: true,
    apiGroups: 'lean',
    serviceRange: '10.1.0.0/24',
    clusterDomain: 'plane.test',
    extraSans: ['a.test'],
    pki: { algorithm: 'rsa' },
    authentication: { jwt: [{ issuer: {} }] },
    featureGates: { AllBeta: false },
    etcd: { extraArgs: { 'max-wals': '3' }, goGc: 10 },
    apiServer: { extraArgs: { v: '4' }, goGc: 20 },
    controllerManager: { extraArgs: { v: '5' }, goGc: 30 },
  } as const satisfies UserSpec

  expect(resolveSpec(user)).toEqual({ ...user, etcdVersion: '3.6.16' })
})

test('makes of a minor the release that vplane knows, and refuses an unknown version', () => {
  expect(resolveSpec({ version: 'v1.35' }).version).toMatch(/^1\.35\.\d+$/)
  expect(thrownBy(() => resolveSpec({ version: '1.1' })).code).toBe('USAGE')
})

test('does not touch the spec it was given', () => {
  const user: UserSpec = Object.freeze({ apiServer: Object.freeze({}) })

  expect(resolveSpec(user).apiServer.extraArgs).toEqual({})
  expect(user).toEqual({ apiServer: {} })
})
