import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createSyncedPlane, type SyncedPlane } from '../../support/host/planes/synced-plane.ts'
import { service } from '../../support/host/planes/workloads.ts'
import { toHostLabelKey } from '../../../src/syncer/translate/host-keys.ts'
import { until } from '../../support/until.ts'

/** The key of the label `app` on the host. */
const APP = toHostLabelKey({ labels: [] }, 'app')

// In their order: they share one plane.
describeOnHost('what a plane keeps on its host', { shuffle: false }, () => {
  let plane: SyncedPlane
  beforeAll(async () => {
    const settings = [
      'policies.hostnames=["*.example.com"]',
      'policies.services.types=[NodePort]',
      'policies.endpoints=[192.0.2.0/28]',
    ]
    plane = await createSyncedPlane(settings.flatMap((one) => ['--set', one]))
  })
  afterAll(() => plane[Symbol.asyncDispose]())

  // Seed 004: "resources like Service and Ingress are synced by default from the virtual cluster".
  test('is an Ingress with the names of the host, its Secret and the status from its controller', async () => {
    await plane.ok('create', 'secret', 'generic', 'tls', '--type=kubernetes.io/tls', ...TLS)
    await plane.ok('create', 'ingress', 'web', '--rule=web.example.com/*=web:80,tls=tls')
    await until('the host ingress', () => hasHost('ingress/web-x-default-x-dev'))
    await until('its secret', () => hasHost('secret/tls-x-default-x-dev'))

    const spec = await host<Ingress>('ingress', 'web-x-default-x-dev')
    const status = { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } }
    const patch = ['--subresource=status', '--type=merge', '--patch', JSON.stringify({ status })]
    await plane.onHost('patch', 'ingress/web-x-default-x-dev', ...patch)
    await until('its address in the plane', async () =>
      (await plane.ok('get', 'ingress', 'web')).includes('192.0.2.7'),
    )
    await plane.ok('delete', 'ingress', 'web')
    await until('it to be gone', async () => !(await hasHost('ingress/web-x-default-x-dev')))
    await until('its secret to be gone', async () => !(await hasHost('secret/tls-x-default-x-dev')))

    expect(spec.spec).toMatchObject({
      rules: [{ http: { paths: [{ backend: { service: { name: 'web-x-default-x-dev' } } }] } }],
      tls: [{ secretName: 'tls-x-default-x-dev' }],
    })
  })

  test('is a NetworkPolicy about pods of its namespace alone', async () => {
    await plane.apply({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'deny' },
      spec: { podSelector: {}, policyTypes: ['Ingress'] },
    })
    const name = 'networkpolicy/deny-x-default-x-dev'
    await until('the host policy', () => hasHost(name))

    const { spec } = await host<{ spec: object }>('networkpolicy', 'deny-x-default-x-dev')
    // What someone on the host changes comes back.
    const open = { spec: { ingress: [{}] } }
    await plane.onHost('patch', name, '--type=merge', `--patch=${JSON.stringify(open)}`)
    await until('the change to be undone', async () => {
      const known = await host<{ spec: object }>('networkpolicy', 'deny-x-default-x-dev')
      return !('ingress' in known.spec)
    })

    expect(spec).toEqual({
      podSelector: {
        matchLabels: {
          'app.kubernetes.io/managed-by': 'vplane-syncer',
          'vplane.dev/synced-by': 'dev',
          'vplane.dev/synced-namespace': 'default',
        },
      },
      policyTypes: ['Ingress'],
    })
  })

  test('is a PodDisruptionBudget with a number that the host understands', async () => {
    const fields = ['--selector=app=web', '--min-available=2']
    await plane.ok('create', 'poddisruptionbudget', 'web', ...fields)
    await until('the host budget', () => hasHost('poddisruptionbudget/web-x-default-x-dev'))

    const { spec } = await host<{ spec: object }>('poddisruptionbudget', 'web-x-default-x-dev')

    expect(spec).toMatchObject({ minAvailable: 2, selector: { matchLabels: { [APP]: 'web' } } })
  })

  test('are the endpoints of a Service without selector', async () => {
    await plane.apply(service('outside', { selector: undefined }), {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'outside-1', labels: { 'kubernetes.io/service-name': 'outside' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.1'] }, { addresses: ['198.51.100.1'] }],
      ports: [{ port: 8080 }],
    })
    const name = 'endpointslice/outside-1-x-default-x-dev'
    await until('the host slice', () => hasHost(name))
    const slice = await host<Slice>('endpointslice', 'outside-1-x-default-x-dev')

    const patch = '--patch={"spec":{"selector":{"app":"x"}}}'
    await plane.ok('patch', 'service', 'outside', '--type=merge', patch)
    await until('it to be gone with a selector', async () => !(await hasHost(name)))

    expect(slice.metadata.labels['kubernetes.io/service-name']).toBe('outside-x-default-x-dev')
    // The owner allows a range with the first one.
    expect(slice.endpoints).toMatchObject([{ addresses: ['192.0.2.1'] }])
    expect(await plane.ok('get', 'events')).toContain('policies.endpoints: [198.51.100.1/32]')
  })

  test('is a Service with another number where the host has given its own to others, and is the same object', async () => {
    const others = { name: 'taken', namespace: plane.cli.newNamespace() }
    const [address, nodePort] = [await freeAddress(), 31_777]
    await plane.cli.host(['create', 'namespace', others.namespace])
    await plane.cli.host(['create', '--filename', '-'], {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: others,
      spec: { type: 'NodePort', clusterIP: address, ports: [{ port: 80, nodePort }] },
    })

    await plane.apply(service('address', { clusterIP: address }))
    const before = await virtual('address')
    await plane.apply(service('port', { type: 'NodePort', ports: [{ port: 80, nodePort }] }))

    await until('another address', async () => {
      const { clusterIP } = (await virtual('address')).spec
      return !['', address].includes(clusterIP)
    })
    await until(
      'another port',
      async () => (await virtual('port')).spec.ports[0]?.nodePort !== nodePort,
    )
    for (const name of ['address', 'port']) {
      const { spec } = await virtual(name)
      const known = await host<Service>('service', `${name}-x-default-x-dev`)
      expect(known.spec.clusterIP).toBe(spec.clusterIP)
      expect(known.spec.ports[0]?.nodePort).toBe(spec.ports[0]?.nodePort)
    }
    expect((await virtual('address')).metadata.uid).toBe(before.metadata.uid)
  })

  test('is a Service of one family where it prefers two, and none where it requires them', async () => {
    const input = JSON.stringify(service('requires', { ipFamilyPolicy: 'RequireDualStack' }))

    await plane.apply(service('prefers', { ipFamilyPolicy: 'PreferDualStack' }))
    const { code, stderr } = await plane.cli.kubectl(['apply', '--filename', '-'], { input })

    await until('the host Service', () => hasHost('service/prefers-x-default-x-dev'))
    const { spec } = await virtual('prefers')
    const known = await host<Service>('service', 'prefers-x-default-x-dev')
    expect(spec.clusterIP).toMatch(/^\d+\.\d+\.\d+\.\d+$/)
    expect(known.spec.clusterIP).toBe(spec.clusterIP)
    expect(known.spec).toMatchObject({ ipFamilyPolicy: 'PreferDualStack' })
    expect(code).not.toBe(0)
    expect(stderr).toContain('not configured for dual-stack')
  })

  test('never is an object that is not its own', async () => {
    const name = 'mine-x-default-x-dev'
    await plane.onHost('create', 'service', 'clusterip', name, '--tcp=80')

    await plane.ok('create', 'service', 'clusterip', 'mine', '--tcp=81')
    await plane.ok('create', 'service', 'clusterip', 'after', '--tcp=82')
    await until('what came later', () => hasHost('service/after-x-default-x-dev'))
    await plane.ok('delete', 'service', 'mine')
    await plane.ok('delete', 'service', 'after')
    await until(
      'the other to be gone',
      async () => !(await hasHost('service/after-x-default-x-dev')),
    )

    expect((await host<Service>('service', name)).spec.ports[0]?.port).toBe(80)
  })

  test('is nothing of a kind that its owner has switched off', async () => {
    const set = (isOn: boolean) =>
      plane.cli.ok(['set', 'dev', `sync.kinds.ingresses=${isOn}`, ...plane.place, '--yes'])
    await plane.ok('create', 'ingress', 'shop', '--rule=shop.example.com/*=web:80')
    await until('the host ingress', () => hasHost('ingress/shop-x-default-x-dev'))

    await set(false)

    expect(await hasHost('ingress/shop-x-default-x-dev')).toBe(false)
    expect(await plane.ok('get', 'ingress', 'shop')).toContain('shop.example.com')
    expect(await plane.onHost('get', 'role', '--output', 'yaml')).not.toContain('ingresses')
    // The other kinds are synced as before.
    await plane.ok('create', 'service', 'clusterip', 'still', '--tcp=80')
    await until('the host service', () => hasHost('service/still-x-default-x-dev'))

    await set(true)
    await until('it to be back', () => hasHost('ingress/shop-x-default-x-dev'))
  })

  async function hasHost(name: string): Promise<boolean> {
    const found = await plane.onHost('get', name, '--ignore-not-found', '--output', 'name')
    return found.trim() !== ''
  }

  async function host<Kind>(kind: string, name: string): Promise<Kind> {
    const found: Kind = JSON.parse(await plane.onHost('get', kind, name, '--output', 'json'))
    return found
  }

  async function virtual(name: string): Promise<Service> {
    const found: Service = JSON.parse(await plane.ok('get', 'service', name, '--output', 'json'))
    return found
  }

  /** An address of the host that nobody had a moment ago. */
  async function freeAddress(): Promise<string> {
    await plane.onHost('create', 'service', 'clusterip', 'for-a-moment', '--tcp=80')
    const { spec } = await host<Service>('service', 'for-a-moment')
    await plane.onHost('delete', 'service', 'for-a-moment')
    return spec.clusterIP
  }
})

const TLS = ['--from-literal=tls.crt=not read', '--from-literal=tls.key=not read']

interface Ingress {
  spec: object
}

interface Slice {
  metadata: { labels: Record<string, string> }
  endpoints: object[]
}

interface Service {
  metadata: { uid: string }
  spec: { clusterIP: string; ports: Array<{ port: number; nodePort?: number }> }
}
