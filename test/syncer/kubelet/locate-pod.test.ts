import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { locatePod } from '../../../src/syncer/kubelet/locate-pod.ts'
import { cacheOf } from '../engine/some-caches.ts'
import { hostOf, SCOPE, virtualObject } from '../translate/some-objects.ts'

const WEB = { name: 'web', namespace: 'shop' }
const named = (...names: string[]) => names.map((name) => ({ name }))

async function located(virtual: KubeObject, host: KubeObject) {
  const pods = { virtual: await cacheOf(virtual), host: await cacheOf(host) }
  return locatePod({ scope: SCOPE, pods }, WEB)
}

test('finds the host pod with the containers of the virtual one', async () => {
  const spec = {
    initContainers: named('migrate'),
    containers: named('app', 'log'),
    ephemeralContainers: named('debugger'),
  }
  const virtual = virtualObject('Pod', { spec })

  expect(await located(virtual, hostOf(virtual))).toEqual({
    name: hostOf(virtual).metadata.name,
    namespace: 'team-a',
    uid: undefined,
    virtualUid: 'uid-of-web',
    containers: ['app', 'log', 'migrate', 'debugger'],
  })
})

test.for([{ containers: named('app', 'istio-proxy') }, { initContainers: named('istio-proxy') }])(
  'leaves out a container of the host whose name a user gives to an ephemeral one: %j',
  async (added) => {
    const spec = { containers: named('app') }
    const ephemeralContainers = named('istio-proxy')
    const virtual = virtualObject('Pod', { spec: { ...spec, ephemeralContainers } })
    const host = hostOf(virtual, { spec: { ...spec, ...added } })

    expect((await located(virtual, host))?.containers).toEqual(['app'])
  },
)

test('leaves out the host pod of an earlier pod of the name, which may have containers of the host', async () => {
  const earlier = virtualObject('Pod', { spec: { containers: named('app') } }, { uid: 'before' })
  const host = hostOf(earlier, { spec: { containers: named('app', 'istio-proxy') } })
  const virtual = virtualObject('Pod', { spec: { containers: named('istio-proxy') } })

  expect(await located(virtual, host)).toBeUndefined()
})
