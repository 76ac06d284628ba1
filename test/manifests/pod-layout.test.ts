import { expect, test } from 'vitest'
import { resolveSpec } from '../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../src/control-plane/spec/spec.ts'
import { podLayout } from '../../src/manifests/pod-layout.ts'

function layoutOf(user: UserSpec = {}, ordinal?: number) {
  const spec = resolveSpec(user, 'kubernetes')
  return podLayout(
    { name: 'dev', namespace: 'team-a', id: 'c0ffee', spec, initialState: 'new' },
    ordinal,
  )
}

test('finds a single member by its Service, which exists before it', () => {
  const { apiServer, etcd } = layoutOf()

  expect(apiServer.etcdServers).toEqual(['https://vplane-dev-etcd.team-a.svc:2379'])
  expect(etcd.members).toHaveLength(1)
})

test('tries several members one by one', () => {
  expect(layoutOf({ preset: 'ha' }).apiServer.etcdServers).toEqual(
    [0, 1, 2].map(
      (ordinal) => `https://vplane-dev-etcd-${ordinal}.vplane-dev-etcd-peers.team-a.svc:2379`,
    ),
  )
})

test('gives every member its own name and address, and the same list of all', () => {
  const [first, third] = [layoutOf({ preset: 'ha' }), layoutOf({ preset: 'ha' }, 2)]
  const host = 'vplane-dev-etcd-2.vplane-dev-etcd-peers.team-a.svc'

  expect(third.etcd).toMatchObject({
    name: 'vplane-dev-etcd-2',
    configurationFile: 'vplane-dev-etcd-2.json',
    advertiseClient: `${host}:2379`,
    advertisePeer: `${host}:2380`,
    token: 'c0ffee',
  })
  expect(first.etcd.members).toEqual(third.etcd.members)
  expect(first.etcd.members).toHaveLength(3)
})

test('keeps data below the folder of the volume, and reaches kube-apiserver through a Service', () => {
  const { apiServer, etcd } = layoutOf()

  expect(etcd.dataFolder).toBe('/var/lib/etcd/data')
  expect(apiServer.url).toBe('https://vplane-dev-kube-apiserver.team-a.svc')
})

test.for([
  ['nano', 0, false],
  ['small', 0, false],
  ['ha', 15, true],
] as const)('stops %s after %i s, leaders elected: %s', ([preset, seconds, leaderElect]) => {
  const { apiServer, controllerManager } = layoutOf({ preset })

  expect(apiServer.shutdownDelaySeconds).toBe(seconds)
  expect(controllerManager.leaderElect).toBe(leaderElect)
})

test.for([
  ['1Gi', 0.4 * 1024 ** 3],
  ['10Gi', 4 * 1024 ** 3],
  ['100Gi', 8 * 1024 ** 3],
] as const)('limits the database to a part of a volume of %s', ([size, bytes]) => {
  expect(layoutOf({ storage: { size } }).etcd.quotaBytes).toBe(Math.floor(bytes))
})
