import { expect, test, vi } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { ObjectCache } from '../../../src/kube/cache/object-cache.ts'
import { ensureTokens, removeStrayTokens } from '../../../src/syncer/pods/ensure-tokens.ts'
import { MemoryHostApi, refusal } from '../../support/api/memory-host-api.ts'
import { soon } from '../../support/soon.ts'
import { follow } from '../engine/some-caches.ts'
import { CONTEXT } from '../translate/pods/some-pods.ts'
import { hostOf, SCOPE, virtualObject } from '../translate/some-objects.ts'

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

const SECRET = `${SECRETS}/${NEED.secretName}`
const SECRET_METADATA = { name: NEED.secretName, namespace: 'team-a' }

const virtual = virtualObject('Pod')
const hostPod = virtualObject('Pod', {}, { ...hostOf(virtual).metadata, uid: 'h-1' })

function ownerOf(cache: ObjectCache): unknown {
  const [secret] = [...cache.values()]
  return secret?.metadata['ownerReferences']
}

/** A plane that gives tokens, and a host. */
function sides({ now = NOW, hasAccount = true, isBusy = false } = {}) {
  const host = new MemoryHostApi()
  const requests: unknown[] = []
  const putOff: string[] = []
  const cache = new ObjectCache(host, SECRETS)
  follow(cache)
  const context = {
    scope: SCOPE,
    host,
    now: () => now,
    secrets: { virtual: cache, host: cache },
    surroundings: CONTEXT,
    putOff: (pod: string) => isBusy && putOff.push(pod) > 0,
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
    putOff,
    cache,
    ensure: (owner?: KubeObject) =>
      // The cache, the clients and the plane are as narrow as they are used.
      ensureTokens(Object(context), { virtual, needs: [NEED], owner }, AbortSignal.timeout(5000)),
    removeStray: (pods: KubeObject[]) =>
      removeStrayTokens(
        Object({ ...context, pods: { virtual: new Map(pods.map((pod) => [pod, pod])) } }),
        AbortSignal.timeout(5000),
      ),
    tokenOf: () => {
      const data = Object(host.objects.get(SECRET)?.['data'])
      return Buffer.from(String(data['token']), 'base64').toString()
    },
  }
}

test('asks the plane for a token as the pod wants it, which ends with the pod', async () => {
  const given = sides()

  await given.ensure()

  expect(given.requests).toEqual([
    [
      '/api/v1/namespaces/shop/serviceaccounts/builder/token',
      {
        audiences: ['vault'],
        expirationSeconds: 600,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'uid-of-web' },
      },
    ],
  ])
  expect(given.tokenOf()).toBe('token 1')
  expect(given.host.objects.get(SECRET)?.metadata).toMatchObject({
    labels: { 'vplane.dev/synced-by': 'dev', 'vplane.dev/synced-namespace': 'shop' },
    annotations: { 'vplane.dev/renew-at': '2026-06-01T12:08:00.000Z' },
    ownerReferences: [CONTEXT.owner],
  })
})

test.for([
  ['2026-06-01T12:07:59Z', 'token 1'],
  ['2026-06-01T12:08:01Z', 'renewed'],
] as const)('renews a token at four fifths of its life: at %s it is %s', async ([at, expected]) => {
  const given = sides({ now: new Date(at) })
  const annotations = { 'vplane.dev/renew-at': '2026-06-01T12:08:00.000Z' }
  const data = { token: Buffer.from('old').toString('base64') }
  given.host.put(SECRET, virtualObject('Secret', { data }, { ...SECRET_METADATA, annotations }))
  await soon('the Secret', () => given.cache.size === 1)

  await given.ensure(hostPod)

  expect(given.tokenOf()).toBe(expected === 'renewed' ? 'token 1' : 'old')
  expect(given.requests).toHaveLength(expected === 'renewed' ? 1 : 0)
})

test('issues a token again when its pod has a node, once, and then it is deleted with the pod', async () => {
  const given = sides()
  const bound = { ...hostPod, spec: { nodeName: 'worker-7' } }
  await given.ensure()
  await soon('the Secret', () => given.cache.size === 1)

  await given.ensure(hostPod)
  expect(given.tokenOf()).toBe('token 1')
  await given.ensure(bound)
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'web-x-shop-x-dev', uid: 'h-1' }
  await vi.waitFor(() => expect(ownerOf(given.cache)).toEqual([owner]))
  await given.ensure(bound)

  expect(given.tokenOf()).toBe('token 2')
})

test('puts off the token that names the node while other pods wait, but no token that is due', async () => {
  const given = sides({ isBusy: true })
  const bound = { ...hostPod, spec: { nodeName: 'worker-7' } }
  await given.ensure()
  await soon('the Secret', () => given.cache.size === 1)

  await given.ensure(bound)
  expect(given.tokenOf()).toBe('token 1')
  expect(given.putOff).toEqual(['shop/web'])
  const annotations = { 'vplane.dev/renew-at': NOW.toISOString() }
  given.host.put(SECRET, virtualObject('Secret', {}, { ...SECRET_METADATA, annotations }))
  await soon('the due Secret', () => ownerOf(given.cache) === undefined)
  await given.ensure(bound)

  expect(given.tokenOf()).toBe('token 2')
})

test.for([
  ['exists', true],
  ['was deleted with it', false],
] as const)(
  'issues a token again for another host pod: that of an earlier one %s',
  async ([, isKept]) => {
    const given = sides()
    await given.ensure()
    await soon('the Secret', () => given.cache.size === 1)
    await given.ensure({ ...hostPod, spec: { nodeName: 'worker-7' } })
    await vi.waitFor(() => expect(ownerOf(given.cache)).toMatchObject([{ uid: 'h-1' }]))
    if (!isKept) {
      given.host.objects.delete(SECRET)
    }

    await given.ensure()

    expect(given.tokenOf()).toBe('token 3')
    expect(given.host.objects.get(SECRET)?.metadata['ownerReferences']).toEqual([CONTEXT.owner])
  },
)

test.for([
  ['of a pod that was deleted', [], undefined, 0],
  ['of a pod', [virtual], undefined, 1],
  ['that its host pod owns', [], { ...hostPod, spec: { nodeName: 'worker-7' } }, 1],
] as const)('deletes stray tokens: one %s', async ([, pods, owner, expected]) => {
  const given = sides()
  await given.ensure(owner)
  await soon('the Secret', () => given.cache.size === 1)

  await given.removeStray([...pods])

  expect(given.host.objects.size).toBe(expected)
})

test('waits for a service account that is not there yet', async () => {
  const given = sides({ hasAccount: false })

  await expect(given.ensure()).rejects.toThrow('service account "builder" does not exist yet')

  expect(given.host.objects.size).toBe(0)
})
