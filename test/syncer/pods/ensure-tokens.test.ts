import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { ObjectCache } from '../../../src/syncer/engine/object-cache.ts'
import { adoptTokens, ensureTokens } from '../../../src/syncer/pods/ensure-tokens.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { MemoryHostApi, refusal } from '../../support/api/memory-host-api.ts'

const scope = { plane: 'dev', planeId: 'plane-1', host: { namespace: 'team-a' } }
const SECRETS = '/api/v1/namespaces/team-a/secrets'
const NOW = new Date('2026-06-01T12:00:00Z')

const NEED = {
  secretName: 'web-tokens-0123',
  key: 'token',
  path: 'token',
  account: 'builder',
  audience: 'vault',
  expirationSeconds: 600,
} as const

const virtual: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: 'v-1' },
}
const hostPod: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-x-default-x-dev', namespace: 'team-a', uid: 'h-1' },
}

/** A plane that gives tokens, and a host. */
async function sides({ now = NOW, hasAccount = true } = {}) {
  const stop = new AbortController()
  const host = new MemoryHostApi()
  const requests: unknown[] = []
  const cache = new ObjectCache(host, SECRETS)
  const running = cache.run(stop.signal).catch(() => {})
  const context = {
    scope,
    host,
    now: () => now,
    secrets: { virtual: cache, host: cache },
    surroundings: {
      scope,
      apiServer: { host: '10.96.0.9', port: 443 },
      clusterDomain: 'cluster.local',
      policy: { allow: [], csiDrivers: [] },
      priorityClasses: new Map(),
      runtimeClasses: [],
    },
    plane: {
      create: async (path: string, { spec }: KubeObject) => {
        requests.push([path, spec])
        if (!hasAccount) {
          throw refusal(404, 'serviceaccounts "builder" not found')
        }
        const expirationTimestamp = new Date(now.getTime() + 600_000).toISOString()
        return { ...virtual, status: { token: `token ${requests.length}`, expirationTimestamp } }
      },
    },
  }
  return {
    host,
    requests,
    cache,
    ensure: (owner?: KubeObject) =>
      // The cache, the clients and the plane are as narrow as they are used.
      ensureTokens(Object(context), { virtual, needs: [NEED], owner }, AbortSignal.timeout(5000)),
    adopt: (owner: KubeObject) =>
      adoptTokens(Object(context), { virtual, needs: [NEED], owner }, AbortSignal.timeout(5000)),
    tokenOf: () => {
      const data = Object(host.objects.get(`${SECRETS}/${NEED.secretName}`)?.['data'])
      return Buffer.from(String(data['token']), 'base64').toString()
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test has ended'))
      await running
    },
  }
}

test('asks the plane for a token as the pod wants it, which ends with the pod', async () => {
  await using given = await sides()

  await given.ensure()

  expect(given.requests).toEqual([
    [
      '/api/v1/namespaces/default/serviceaccounts/builder/token',
      {
        audiences: ['vault'],
        expirationSeconds: 600,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'v-1' },
      },
    ],
  ])
  expect(given.tokenOf()).toBe('token 1')
  expect(given.host.objects.get(`${SECRETS}/${NEED.secretName}`)?.metadata).toMatchObject({
    labels: { 'vplane.dev/synced-by': 'dev', 'vplane.dev/synced-namespace': 'default' },
    annotations: { 'vplane.dev/renew-at': '2026-06-01T12:08:00.000Z' },
  })
})

test.for([
  ['2026-06-01T12:07:59Z', 'token 1'],
  ['2026-06-01T12:08:01Z', 'renewed'],
] as const)('renews a token at four fifths of its life: at %s it is %s', async ([at, expected]) => {
  await using given = await sides({ now: new Date(at) })
  given.host.put(`${SECRETS}/${NEED.secretName}`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: NEED.secretName,
      namespace: 'team-a',
      annotations: { 'vplane.dev/renew-at': '2026-06-01T12:08:00.000Z' },
    },
    data: { token: Buffer.from('old').toString('base64') },
  })
  await waitFor(async () => given.cache.size === 1, { what: 'the Secret', timeoutMs: 5000 })

  await given.ensure(hostPod)

  expect(given.tokenOf()).toBe(expected === 'renewed' ? 'token 1' : 'old')
  expect(given.requests).toHaveLength(expected === 'renewed' ? 1 : 0)
})

test('waits for a service account that is not there yet', async () => {
  await using given = await sides({ hasAccount: false })

  await expect(given.ensure()).rejects.toThrow('service account "builder" does not exist yet')

  expect(given.host.objects.size).toBe(0)
})

test.for([
  ['that was made before it', true],
  ['that went with a former one', false],
] as const)('makes the token go with the host pod: one %s', async ([, isThere]) => {
  await using given = await sides()
  await given.ensure()
  if (!isThere) {
    given.host.remove(`${SECRETS}/${NEED.secretName}`)
  }

  await given.adopt(hostPod)

  const { metadata } = given.host.objects.get(`${SECRETS}/${NEED.secretName}`) ?? hostPod
  expect(metadata['ownerReferences']).toEqual([
    { apiVersion: 'v1', kind: 'Pod', name: 'web-x-default-x-dev', uid: 'h-1' },
  ])
  expect(given.tokenOf()).toBe(isThere ? 'token 1' : 'token 2')
})
