import { expect, test } from 'vitest'
import { cachedHostPod } from '../../../src/syncer/pods/cached-host-pod.ts'
import { toHostEphemeralContainer } from '../../../src/syncer/translate/pods/to-host-pod.ts'
import { CONTEXT, podWith } from '../translate/pods/some-pods.ts'
import { virtualObject } from '../translate/some-objects.ts'

test('caches of a host pod what is compared with the virtual one, and its whole status', () => {
  const resources = { limits: { cpu: '1' } }
  const ports = [{ name: 'http', containerPort: 80 }]
  const container = { name: 'main', image: 'a', resources, ports }
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
  const spec = { nodeName: 'one', hostNetwork: true, activeDeadlineSeconds: 5 }
  const dropped = { volumes: [{ name: 'a' }], tolerations: [{ key: 'a' }] }
  const pod = virtualObject('Pod', {
    spec: { ...spec, ...dropped, containers: [{ ...container, env: [{ name: 'A' }] }] },
    status,
  })

  const cached = cachedHostPod(pod)

  expect(cached).toEqual({ ...pod, spec: { ...spec, containers: [container] } })
})

test('leaves out ephemeral containers that someone else has added on the host', () => {
  const pod = podWith()
  const ours = toHostEphemeralContainer(pod, { name: 'debug', image: 'busybox' }, CONTEXT)
  const theirs = { name: 'debugger-x7k2p', image: 'busybox', env: [{ name: 'A', value: 'b' }] }
  const ephemeralContainers = [theirs, 'container' in ours ? ours.container : {}]
  const host = virtualObject('Pod', { spec: { ...Object(pod['spec']), ephemeralContainers } })

  expect(cachedHostPod(host)['spec']).toMatchObject({ ephemeralContainers: [{ name: 'debug' }] })
})
