import { afterAll, beforeAll, expect, test } from 'vitest'
import { conditionOf, type KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { installClusterApi } from '../../lab/addons/cluster-api.ts'
import { describeInLab } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'

const NESTED = 'nested.vplane.dev'
const CLUSTER_API = 'cluster.x-k8s.io'
const INFRASTRUCTURE = 'infrastructure.example.com'
const ANY = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/** A provider of infrastructure whose controller is this test, with the rights of Cluster API. */
const PROVIDER = [
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `exampleclusters.${INFRASTRUCTURE}`,
      labels: { [`${CLUSTER_API}/v1beta2`]: 'v1' },
    },
    spec: {
      group: INFRASTRUCTURE,
      scope: 'Namespaced',
      names: { kind: 'ExampleCluster', plural: 'exampleclusters' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: ANY } }],
    },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: 'vplane-test-infrastructure',
      labels: { [`${CLUSTER_API}/aggregate-to-manager`]: 'true' },
    },
    rules: [
      {
        apiGroups: [INFRASTRUCTURE],
        resources: ['exampleclusters'],
        verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
      },
    ],
  },
]

// In their order: all are about one Cluster.
describeInLab('a Cluster of Cluster API on a NestedControlPlane', { shuffle: false }, () => {
  let cli: HostCli
  let namespace: string
  let at: string[]
  let made: AsyncDisposableStack
  /** Templates are cluster-wide. */
  let template: string

  const create = (object: object) => cli.host(['create', ...at, '--filename', '-'], object)
  const read = (object: string): Promise<KubeObject> => cli.hostJson(['get', object, ...at])
  const patch = (object: string, change: object) => {
    const text = JSON.stringify(change)
    return cli.host(['patch', object, ...at, '--type=merge', '--patch', text])
  }
  const conditionIs = async (object: string, type: string, wanted: object) => {
    await expect
      .poll(async () => conditionOf(await read(object), type), { timeout: 180_000 })
      .toMatchObject(wanted)
  }
  const statusOf = async (object: string) => (await read(object))['status']

  beforeAll(async () => {
    await using stack = new AsyncDisposableStack()
    cli = stack.use(await createHostCli())
    const operator = ['--namespace', await cli.makeNamespace(RESTRICTED)]
    namespace = await cli.makeNamespace()
    at = ['--namespace', namespace]
    template = `${namespace}-small`
    const provider = { apiVersion: 'v1', kind: 'List', items: PROVIDER }
    stack.defer(async () => {
      await cli.host(['delete', '--ignore-not-found', '--filename', '-'], provider)
    })
    await cli.host(['apply', '--server-side', '--filename', '-'], provider)
    stack.defer(async () => {
      await cli.host(['delete', 'ncpt', template, '--ignore-not-found'])
      await cli.ok(['operator', 'uninstall', ...operator, '--yes'])
    })
    await cli.ok(['operator', 'install', ...operator])
    stack.use(await installClusterApi(cli.lab))
    made = stack.move()
  })
  afterAll(() => made.disposeAsync())

  test('is initialized, with the endpoint and the numbers of its control plane', async () => {
    await create({
      apiVersion: `${NESTED}/v1beta1`,
      kind: 'NestedControlPlaneTemplate',
      metadata: { name: template },
      spec: { version: '1.36' },
    })
    await create({
      apiVersion: `${CLUSTER_API}/v1beta2`,
      kind: 'Cluster',
      metadata: { name: 'shop' },
      spec: {
        controlPlaneRef: { apiGroup: NESTED, kind: 'NestedControlPlane', name: 'shop-plane' },
      },
    })
    await create({
      apiVersion: `${NESTED}/v1beta1`,
      kind: 'NestedControlPlane',
      metadata: { name: 'shop-plane' },
      spec: { templateRef: { name: template }, replicas: 1 },
    })

    await conditionIs('cluster/shop', 'ControlPlaneInitialized', { status: 'True' })
    await conditionIs('cluster/shop', 'ControlPlaneAvailable', { status: 'True' })
    const { spec, status } = await read('cluster/shop')
    const plane = await read('ncp/shop-plane')
    expect(plane.metadata).toMatchObject({
      labels: { [`${CLUSTER_API}/cluster-name`]: 'shop' },
      ownerReferences: [{ kind: 'Cluster', name: 'shop' }],
    })
    expect(plane['spec']).toMatchObject({ controlPlaneEndpoint: Object(spec).controlPlaneEndpoint })
    expect(Object(spec).controlPlaneEndpoint).toMatchObject({ port: 443 })
    expect(status).toMatchObject({
      phase: 'Provisioned',
      controlPlane: {
        desiredReplicas: 1,
        replicas: 1,
        readyReplicas: 1,
        availableReplicas: 1,
        upToDateReplicas: 1,
        versions: [{ version: expect.stringMatching(/^v1\.36\./), replicas: 1 }],
      },
    })
  })

  test('is connected to by Cluster API with the Secret of its name', async () => {
    await conditionIs('cluster/shop', 'RemoteConnectionProbe', { status: 'True' })
  })

  test('is available as soon as it has infrastructure', async () => {
    // Cluster API 1.14 cannot tell about infrastructure that a Cluster does not name.
    await conditionIs('cluster/shop', 'InfrastructureReady', { reason: 'InternalError' })

    await create({
      apiVersion: `${INFRASTRUCTURE}/v1`,
      kind: 'ExampleCluster',
      metadata: { name: 'shop' },
      status: { initialization: { provisioned: true } },
    })
    const infrastructureRef = { apiGroup: INFRASTRUCTURE, kind: 'ExampleCluster', name: 'shop' }
    await patch('cluster/shop', { spec: { infrastructureRef } })

    await conditionIs('cluster/shop', 'InfrastructureReady', { status: 'True' })
    await conditionIs('cluster/shop', 'Available', { status: 'True' })
  })

  test('leaves its control plane alone while it is paused', async () => {
    await patch('cluster/shop', { spec: { paused: true } })
    await conditionIs('ncp/shop-plane', 'Paused', {
      status: 'True',
      message: 'Cluster spec.paused is set to true',
    })

    await cli.host(['scale', 'ncp/shop-plane', ...at, '--replicas=2'])
    const { generation: observedGeneration } = (await read('ncp/shop-plane')).metadata
    await conditionIs('ncp/shop-plane', 'Paused', { status: 'True', observedGeneration })
    const paused = await statusOf('ncp/shop-plane')
    await patch('cluster/shop', { spec: { paused: false } })

    expect(paused).toMatchObject({ replicas: 1 })
    await conditionIs('ncp/shop-plane', 'Paused', { status: 'False' })
    await expect
      .poll(() => statusOf('ncp/shop-plane'), { timeout: 180_000 })
      .toMatchObject({ readyReplicas: 2 })
    await expect
      .poll(() => statusOf('cluster/shop'))
      .toMatchObject({ controlPlane: { desiredReplicas: 2, readyReplicas: 2 } })
    await conditionIs('cluster/shop', 'ScalingUp', { status: 'False' })
  })

  test('is deleted when nothing of its control plane is left', async () => {
    const { clusterNamespace } = Object(await statusOf('ncp/shop-plane'))

    await cli.host(['delete', 'cluster', 'shop', ...at, '--timeout=180s'])

    const left = ['get', 'ncp,secrets,exampleclusters', ...at, '--output=name']
    expect(await cli.host(left)).toBe('')
    const gone = ['get', 'namespace', clusterNamespace.name, '--ignore-not-found']
    expect(await cli.host(gone)).toBe('')
  })
})
