import { expect, test } from 'vitest'
import { recordsPatch } from '../../../src/manifests/gateway-records.ts'
import { OPERATOR_GATEWAY, OPERATOR_GATEWAY_LABELS } from '../../../src/manifests/object-names.ts'
import { ANY, PATIENT, planeOf, World } from './operator-gateway-world.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }

test('has the gateway of its operator while any client wakes one of its planes', async () => {
  const world = new World(ANY)
  world.run()

  await expect
    .poll(() => world.deployment, PATIENT)
    .toMatchObject({
      metadata: {
        labels: OPERATOR_GATEWAY_LABELS,
        ownerReferences: [{ kind: 'Deployment', name: 'vplane-operator' }],
      },
      spec: {
        template: { spec: { containers: [{ image: 'node:24', imagePullPolicy: 'Always' }] } },
      },
    })
  world.declared.pop()

  await expect.poll(() => world.deployment, PATIENT).toBeUndefined()
  const left = [...world.api.objects.keys()].filter(
    (path) => path.includes(OPERATOR_GATEWAY) && !path.includes('/pods/'),
  )
  expect(left).toEqual([])
})

test('creates again what the gateway knows, when someone has deleted it', async () => {
  const world = new World(ANY)
  const { ended, woken } = await world.sleep()
  const before = [...world.planes]

  world.api.remove(`/api/v1/namespaces/system/configmaps/${OPERATOR_GATEWAY}-planes`)
  world.declared.push({ place: { name: 'dev-1', namespace: 'team-a' }, plane: undefined })
  await ended
  const lost = [...world.planes]
  const again = world.gateway.gatewayOf({ ...woken, isAsleep: true }).reconcile(world.signal)

  await expect.poll(() => [...world.planes], PATIENT).toEqual(before)
  expect([before.length, lost]).toEqual([1, []])
  world.stop()
  await expect(again).rejects.toThrow('aborted')
})

test('creates again where clients ask to wake planes, when someone has deleted it', async () => {
  const world = new World(ANY)
  await world.sleep()
  const path = `/api/v1/namespaces/system/configmaps/${OPERATOR_GATEWAY}-wakes`

  world.api.remove(path)
  world.declared.push({ place: { name: 'dev-1', namespace: 'team-a' }, plane: undefined })

  await expect.poll(() => world.api.objects.has(path), PATIENT).toBe(true)
})

test('leads a sleeping plane to the gateway again, after someone has deleted what led there', async () => {
  const world = new World(ANY)
  const { ended, woken } = await world.sleep()
  const slices = '/apis/discovery.k8s.io/v1/namespaces/team-a/endpointslices'

  world.api.remove(`${slices}/vplane-dev-api-gateway-ipv4`)
  world.api.remove(`${slices}/vplane-dev-api-gateway-ipv6`)
  world.declared.push({ place: { name: 'dev-1', namespace: 'team-a' }, plane: undefined })
  await ended
  const again = world.gateway.gatewayOf({ ...woken, isAsleep: true }).reconcile(world.signal)

  await expect.poll(() => world.slice('ipv6'), PATIENT).toBeDefined()
  world.stop()
  await expect(again).rejects.toThrow('aborted')
})

test('tries again to lead a plane to the gateway whose endpoint is missing', async () => {
  const world = new World(ANY)
  const { end, woken } = await world.sleep()
  await end()
  world.api.remove('/api/v1/namespaces/team-a/services/vplane-dev-api')

  const asleep = world.gateway.gatewayOf({ ...woken, isAsleep: true })

  await expect(asleep.reconcile(world.signal)).rejects.toThrow(
    'the endpoint of "dev" does not exist',
  )
})

test('creates no gateway for planes that only contexts wake, and keeps one while it does not know a plane', async () => {
  const world = new World({ idle: '1m' }, ANY)
  world.run()
  await expect.poll(() => world.deployment, PATIENT).toBeDefined()

  world.declared[1] = { place: { name: 'dev-1', namespace: 'team-a' }, plane: undefined }
  world.declared.push({ place: { name: 'more', namespace: 'team-a' }, plane: undefined })

  const sweeps = () => world.api.requests.filter((one) => one.startsWith('list ')).length
  const before = sweeps()
  await expect.poll(sweeps, PATIENT).toBeGreaterThanOrEqual(before)
  expect(world.deployment).toBeDefined()
})

test('leads to the pods of the gateway, whatever their state, and follows them', async () => {
  const world = new World(ANY)
  await world.sleep()

  await expect.poll(() => world.endpoints, PATIENT).toEqual([['first', true, true, false]])
  expect(world.slice('ipv4')).toMatchObject({
    metadata: {
      labels: {
        'kubernetes.io/service-name': 'vplane-dev-api',
        'endpointslice.kubernetes.io/managed-by': 'vplane-operator',
        'vplane.dev/name': 'dev',
      },
      ownerReferences: [{ kind: 'Service', name: 'vplane-dev-api' }],
    },
    addressType: 'IPv4',
    ports: [{ name: 'https', port: 20_000, protocol: 'TCP' }],
    endpoints: [{ addresses: ['10.1.0.1'], nodeName: 'n1' }],
  })
  expect(world.slice('ipv6')).toMatchObject({ endpoints: [{ addresses: ['fd00::1'] }] })
  expect([...world.planes]).toEqual([
    ['team-a.dev', { id: expect.any(String), port: 20_000, state: 'asleep' }],
  ])

  world.putPod('first', { isEnding: true })
  world.putPod('second', { isReady: false, ips: ['10.1.0.2'] })
  await expect
    .poll(() => world.endpoints, PATIENT)
    .toEqual([
      ['first', false, true, true],
      ['second', false, false, false],
    ])
})

test('leads planes of all namespaces to the same gateway, each by slices of its own to a port of its own', async () => {
  const world = new World(ANY)
  world.declareIn('team-b')
  const [one, two] = [await world.sleep(), await world.sleep('team-b')]
  const places = [
    ['team-a', one.woken.id, 20_000],
    ['team-b', two.woken.id, 20_001],
  ] as const

  expect([...world.planes]).toEqual(
    places.map(([namespace, id, port]) => [`${namespace}.dev`, { id, port, state: 'asleep' }]),
  )
  const objects = [...world.api.objects.keys()].filter((path) => path.includes(OPERATOR_GATEWAY))
  expect(objects.filter((path) => path.includes('/deployments/'))).toHaveLength(1)
  expect(objects.filter((path) => !path.includes('/namespaces/system/'))).toEqual([])
  world.putPod('second', { ips: ['10.1.0.2', 'fd00::2'] })
  for (const [namespace, , port] of places) {
    const service = world.api.objects.get(`/api/v1/namespaces/${namespace}/services/vplane-dev-api`)
    const slice = () => world.slice('ipv4', namespace)
    await expect
      .poll(slice, PATIENT)
      .toMatchObject({ endpoints: [{ addresses: ['10.1.0.1'] }, { addresses: ['10.1.0.2'] }] })
    expect(slice()).toMatchObject({
      metadata: { namespace, ownerReferences: [{ uid: service?.metadata.uid }] },
      ports: [{ port }],
    })
  }
})

test('wakes the plane that clients ask for, and none of its name in another namespace', async () => {
  const world = new World(ANY)
  world.declareIn('team-b')
  await world.sleep()
  const { ended, woken } = await world.sleep('team-b')
  const wakes = `/api/v1/namespaces/system/configmaps/${OPERATOR_GATEWAY}-wakes`
  const clients = [{ address: '10.0.0.9' }]

  const request = recordsPatch({ 'team-b.dev': { id: woken.id, mark: '1', clients } })
  await world.api.patch(wakes, request, { type: 'merge' })
  await ended

  expect([await world.desired('team-a'), await world.desired('team-b')]).toEqual([
    'paused',
    'running',
  ])
})

test('ends when the host denies its watches: without them it would wake nothing', async () => {
  const world = new World(ANY)
  world.isDenied = true
  world.run()

  await expect(world.running).rejects.toThrow('the watch is denied')
})

test('forgets a plane that is gone', async () => {
  const world = new World(ANY, ANY)
  const { end } = await world.sleep()
  await end()

  const wakes = `/api/v1/namespaces/system/configmaps/${OPERATOR_GATEWAY}-wakes`
  const request = recordsPatch({ 'team-a.dev': { id: '1', mark: '1', clients: [] } })
  await world.api.patch(wakes, request, { type: 'merge' })
  world.declared.shift()

  await expect.poll(() => world.api.objects.get(wakes)?.['data'], PATIENT).toEqual({})
  await expect.poll(() => world.planes.size, PATIENT).toBe(0)
  await expect.poll(() => world.slice('ipv4'), PATIENT).toBeUndefined()
  expect(world.looks).toContain('dev')
})

test('does not lead a plane to the gateway again that not any client wakes any more', async () => {
  const world = new World(ANY, ANY)
  const { end, woken } = await world.sleep()
  await end()
  const slices = '/apis/discovery.k8s.io/v1/namespaces/team-a/endpointslices'
  const count = (request: string) =>
    world.api.requests.filter((one) => one === `${request} ${slices}`).length
  const before = count('list')

  // As a change of the plane does.
  world.api.remove(`${slices}/vplane-dev-api-gateway-ipv4`)
  world.api.remove(`${slices}/vplane-dev-api-gateway-ipv6`)
  world.declared[0] = { place: PLACE, plane: planeOf(PLACE, { idle: '1m' }) }
  await expect.poll(() => count('list'), PATIENT).toBeGreaterThan(before)
  const created = count('create')
  world.putPod('second')
  await world.gateway.closing(woken).reconcile(world.signal)

  expect(count('create')).toBe(created)
})

test('closes the port of a plane that a user has paused, and leads its endpoint back', async () => {
  const world = new World(ANY)
  const { end, woken } = await world.sleep()
  await end()

  await world.gateway.closing(woken).reconcile(world.signal)

  expect(world.planes.get('team-a.dev')).toMatchObject({ state: 'closed' })
  expect(world.slice('ipv4')).toBeUndefined()
  const service = world.api.objects.get('/api/v1/namespaces/team-a/services/vplane-dev-api')
  expect(service?.['spec']).toMatchObject({
    selector: { a: 'b' },
    ports: [{ targetPort: 'https' }],
  })
})
