import { expect, test } from 'vitest'
import { toHostEphemeralContainer } from '../../../../src/syncer/translate/pods/to-host-pod.ts'
import {
  CONTEXT,
  hostSpec,
  podWith,
  podWithContainer,
  refusalsOf,
  translated,
} from './some-pods.ts'

test('makes the smallest pod one of the host', () => {
  const { needs, pod } = translated(podWith())

  expect(pod).toMatchObject({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-x-shop-x-dev', namespace: 'team-a' },
  })
  expect(pod['spec']).toMatchObject({
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    hostname: 'web',
    containers: [{ name: 'main', image: 'nginx' }],
  })
  expect(needs).toEqual({ configMaps: [], secrets: [], claims: [], tokens: [] })
})

test('keeps what means the same on the host', () => {
  const kept = {
    activeDeadlineSeconds: 60,
    hostAliases: [{ ip: '10.0.0.1', hostnames: ['db'] }],
    hostUsers: false,
    nodeSelector: { disk: 'fast' },
    restartPolicy: 'OnFailure',
    securityContext: { runAsUser: 1000, fsGroup: 1000 },
    shareProcessNamespace: true,
    terminationGracePeriodSeconds: 5,
    tolerations: [{ operator: 'Exists' }],
  }

  expect(hostSpec(podWith(kept))).toMatchObject(kept)
})

// As a plane of Kubernetes 1.37 with the feature gate H2CContainerProbe sets it.
test('tells the host nothing of the protocol that probes have by default', () => {
  const handlers = (protocol: object) => {
    const httpGet = { port: 80, ...protocol }
    return { livenessProbe: { httpGet }, lifecycle: { stopSignal: 'INT', preStop: { httpGet } } }
  }
  const containersOf = (protocol: object) =>
    hostSpec(podWithContainer(handlers(protocol)))['containers']

  expect(containersOf({ protocol: 'HTTP1' })).toEqual(containersOf({}))
  expect(containersOf({ protocol: 'HTTP2' })).toMatchObject([handlers({ protocol: 'HTTP2' })])
})

test('leaves to the host what it decides itself', () => {
  const spec = hostSpec(
    podWith({
      ephemeralContainers: [{ name: 'debug' }],
      nodeName: 'node-1',
      overhead: { cpu: '1' },
      preemptionPolicy: 'Never',
      priority: 2_000_001_000,
      priorityClassName: 'system-node-critical',
      schedulerName: 'mine',
      serviceAccount: 'admin',
      serviceAccountName: 'admin',
    }),
  )

  expect(Object.keys(spec).toSorted()).toEqual([
    'affinity',
    'automountServiceAccountToken',
    'containers',
    'dnsConfig',
    'dnsPolicy',
    'enableServiceLinks',
    'hostname',
  ])
})

test('takes the classes that the host has for them', () => {
  const context = {
    ...CONTEXT,
    priorityClasses: new Map([['high', 'team-a-high']]),
    runtimeClasses: ['gvisor'],
  }
  const pod = podWith({ priorityClassName: 'high', runtimeClassName: 'gvisor' })

  expect(hostSpec(pod, context)).toMatchObject({
    priorityClassName: 'team-a-high',
    runtimeClassName: 'gvisor',
  })
})

test('keeps a runtime class from being lost', () => {
  expect(refusalsOf(podWith({ runtimeClassName: 'gvisor' }))).toEqual([
    expect.stringMatching(/^spec\.runtimeClassName "gvisor" is not allowed.*sync\.runtimeClasses/),
  ])
})

test('names the secrets that images are pulled with', () => {
  const { needs, pod } = translated(podWith({ imagePullSecrets: [{ name: 'registry' }] }))

  expect(pod['spec']).toMatchObject({ imagePullSecrets: [{ name: 'registry-x-shop-x-dev' }] })
  expect(needs.secrets).toEqual(['registry'])
})

test('has a controller, so that the host does not take it for a pod that nobody would replace', () => {
  const owner = { apiVersion: 'v1', kind: 'Service', name: 'vplane-dev', uid: '1' }

  const { pod } = translated(podWith(), { ...CONTEXT, owner })

  expect(pod.metadata['ownerReferences']).toEqual([{ ...owner, controller: true }])
})

test.for([
  ['spec', podWith({ future: { name: 'x' } }), 'spec.future'],
  ['container', podWithContainer({ hostSecret: 'x' }), 'spec.containers[main].hostSecret'],
  [
    'security context',
    podWithContainer({ securityContext: { hostUser: 'root' } }),
    'spec.containers[main].securityContext.hostUser',
  ],
] as const)('refuses a field of a %s that it does not know', ([, pod, field]) => {
  expect(refusalsOf(pod)).toEqual([
    `${field} is unknown to this version of vplane, a newer one may support it`,
  ])
})

test('does not mind unknown fields that say nothing', () => {
  expect(refusalsOf(podWith({ newList: [], newObject: null }))).toEqual([])
})

test('tells every reason at once', () => {
  const pod = podWith({ hostPID: true, hostNetwork: true, resourceClaims: [{ name: 'gpu' }] })

  expect(refusalsOf(pod)).toHaveLength(3)
})

test('translates an ephemeral container like another one', () => {
  const container = {
    name: 'debug',
    image: 'busybox',
    targetContainerName: 'main',
    envFrom: [{ secretRef: { name: 'db' } }],
  }

  expect(toHostEphemeralContainer(podWith(), container, CONTEXT)).toMatchObject({
    container: {
      name: 'debug',
      targetContainerName: 'main',
      envFrom: [{ secretRef: { name: 'db-x-shop-x-dev' } }],
    },
  })
})

test('refuses an ephemeral container with more rights than pods have', () => {
  const container = { name: 'debug', securityContext: { privileged: true } }

  expect(toHostEphemeralContainer(podWith(), container, CONTEXT)).toEqual({
    refusals: [
      expect.stringContaining('spec.ephemeralContainers[debug].securityContext.privileged'),
    ],
  })
})

test.for([
  [150_000, 'equal', () => 'a', 1],
  [1000, 'different', (index: number) => `a${index}`, 20],
] as const)('refuses %d %s tolerations with few reasons', ([length, , keyOf, count]) => {
  const policies = {
    hostnames: [],
    endpoints: [],
    services: { types: [], loadBalancerAddresses: [] },
    tolerations: [],
  }
  const tolerations = Array.from({ length }, (_, index) => ({ key: keyOf(index) }))
  const context = { ...CONTEXT, scope: { ...CONTEXT.scope, policies } }

  expect(refusalsOf(podWith({ tolerations }), context)).toHaveLength(count)
})
