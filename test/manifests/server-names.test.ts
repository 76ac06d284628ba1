import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { resolveSpec } from '../../src/control-plane/spec/resolve-spec.ts'
import { podLayout } from '../../src/manifests/pod-layout.ts'
import { endpointNames, storeNames } from '../../src/manifests/server-names.ts'
import { createEtcdPki } from '../../src/pki/plane/etcd-pki.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }

test('names the Services of the endpoint, the host it is exposed under, and what the user adds', () => {
  const user = { extraSans: ['a.test'], expose: { host: 'dev.example.com' } }

  const namesOf = (service: string) => [service, `${service}.team-a`, `${service}.team-a.svc`]
  expect(endpointNames(PLACE, resolveSpec(user, 'kubernetes'), ['10.0.0.7'])).toEqual([
    ...['vplane-dev-api', 'vplane-dev-kube-apiserver'].flatMap(namesOf),
    '10.0.0.7',
    'dev.example.com',
    'a.test',
  ])
})

test('names nothing twice', () => {
  const user = { extraSans: ['10.0.0.7', 'a.test'], expose: { host: 'a.test' } }
  const names = endpointNames(PLACE, resolveSpec(user, 'kubernetes'), ['10.0.0.7'])

  expect(new Set(names).size).toBe(names.length)
})

test('creates certificates of etcd for every address of a plane, however many members', () => {
  const memberSans = storeNames(PLACE, {})
  const files = createEtcdPki({ algorithm: 'ecdsa', now: new Date(), memberSans })
  const server = new X509Certificate(files['etcd/server.crt'] ?? '')
  const peer = new X509Certificate(files['etcd/peer.crt'] ?? '')
  const spec = resolveSpec({ preset: 'ha', etcd: { replicas: 5 } }, 'kubernetes')
  const hostsOf = (ordinal: number) => {
    const { apiServer, etcd } = podLayout({ ...PLACE, id: 'x', spec, initialState: 'new' }, ordinal)
    return [etcd.advertisePeer, etcd.advertiseClient].concat(
      apiServer.etcdServers.map((url) => new URL(url).host),
    )
  }

  for (const host of [0, 1, 2, 3, 4].flatMap(hostsOf)) {
    const [name = ''] = host.split(':')
    expect(server.checkHost(name)).toBe(name)
    expect(peer.checkHost(name)).toBe(name)
  }
  expect(server.checkHost('vplane-dev-etcd.team-a.svc')).toBeDefined()
  expect(server.subjectAltName).not.toContain('*')
})
