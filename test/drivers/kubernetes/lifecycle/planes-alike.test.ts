import { expect, test } from 'vitest'
import type { HostAnswers } from '../../../../src/control-plane/driver/requests.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { createPlane } from '../../../../src/drivers/kubernetes/lifecycle/create-plane.ts'
import { preflight } from '../../../../src/drivers/kubernetes/preflight/preflight.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster, objectOf, requestFor } from '../fake-cluster.ts'
import { HostWithRules } from '../preflight/host-with-rules.ts'

/** The objects of a plane without a keeper. */
const OBJECTS = 16
/** Reading the record, creating it and the Lease, three steps of the journal, and giving the Lease back. */
const BOOKKEEPING = 7

const CONFIGMAPS = '/api/v1/namespaces/team-a/configmaps'
const NODE_PORT: UserSpec = { expose: { type: 'node-port' } }

test.for([{}, NODE_PORT])(
  'takes few requests for a plane after others that differ in their names alone: %j',
  async (userSpec) => {
    const world = new World(userSpec)
    await world.create('t-1')
    await world.create('t-2')
    const before = world.api.requests.length

    await world.create('t-3')

    const requests = world.api.requests.slice(before)
    expect(requests.filter((request) => request.startsWith('apply'))).toHaveLength(OBJECTS)
    expect(requests.length).toBeLessThanOrEqual(OBJECTS + BOOKKEEPING)
  },
)

test('checks the host once for planes that are created at the same time', async () => {
  const world = new World()

  await Promise.all(['t-1', 't-2', 't-3', 't-4'].map((name) => world.create(name)))

  const pods = world.api.tried.filter(({ kind }) => kind === 'Pod')
  expect(pods.map(({ metadata }) => metadata.name)).toEqual([
    'vplane-t-1-etcd-preflight',
    'vplane-t-1-kube-apiserver-preflight',
    'vplane-t-1-kube-controller-manager-preflight',
  ])
})

test('overwrites no object of others', async () => {
  const world = new World()
  world.api.add(CONFIGMAPS, objectOf('ConfigMap', { name: 'vplane-t-3-etcd' }))
  await world.create('t-1')
  await world.create('t-2')

  const error = await rejectionOf(world.create('t-3'))

  expect(error.message).toContain('vplane did not create these objects')
  expect(error.message).toContain('vplane-t-3-etcd')
  expect(world.api.objects.get(`${CONFIGMAPS}/vplane-t-3-etcd`)).not.toHaveProperty('data')
})

test('checks the next plane when the host does not accept the first one', async () => {
  const world = new World()
  world.api.add(CONFIGMAPS, objectOf('ConfigMap', { name: 'vplane-t-1-etcd' }))

  const error = await rejectionOf(world.create('t-1'))
  await world.create('t-2')

  expect(error.message).toContain('vplane-t-1-etcd')
  expect(world.api.tried.map(({ metadata }) => metadata.name)).toContain(
    'vplane-t-2-etcd-preflight',
  )
})

/** A host, and the answers that it gave to one command. */
class World {
  readonly api = new HostWithRules().withTeam()
  readonly #answers: HostAnswers = { names: new Map() }
  readonly #cluster = new FakeCluster()
  readonly #userSpec: UserSpec

  constructor(userSpec: UserSpec = {}) {
    this.#userSpec = userSpec
  }

  create(name: string) {
    const { forward } = this.#cluster
    const host = { context: 'lab', namespace: 'team-a', api: this.api, forward }
    const context = this.#cluster.driverContext({ host: () => Promise.resolve(host), preflight })
    const placement = { namespace: 'team-a', answers: this.#answers }
    const request = requestFor(name, {
      userSpec: this.#userSpec,
      isPaused: true,
      host: placement,
    })
    return createPlane(context, request, this.#cluster.operation())
  }
}
