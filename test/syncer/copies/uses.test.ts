import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { Usage, Uses } from '../../../src/syncer/copies/uses.ts'
import { byResource } from '../../../src/syncer/scope/resources.ts'
import { toHostPod } from '../../../src/syncer/translate/pods/to-host-pod.ts'
import { cacheOf } from '../engine/some-caches.ts'
import { CONTEXT, podWith } from '../translate/pods/some-pods.ts'
import { hostOf, SCOPE, virtualObject } from '../translate/some-objects.ts'

test('knows what is used by anybody, and tells what changed', () => {
  const usage = new Usage()

  expect(usage.set('default/a', ['default/settings', 'default/tls'])).toEqual([
    'default/settings',
    'default/tls',
  ])
  expect(usage.set('default/b', ['default/settings'])).toEqual(['default/settings'])
  expect(usage.set('default/a', ['default/tls'])).toEqual(['default/settings'])

  expect(usage.isUsed('default/settings')).toBe(true)
  expect(usage.isUsed('default/other')).toBe(false)
})

test('forgets what the last pod used that is gone', () => {
  const usage = new Usage()
  usage.set('default/a', ['default/settings'])
  usage.set('default/b', ['default/settings'])

  usage.set('default/a', [])
  expect(usage.isUsed('default/settings')).toBe(true)
  expect(usage.set('default/b', [])).toEqual(['default/settings'])

  expect(usage.isUsed('default/settings')).toBe(false)
})

test('tells nothing when nothing changed', () => {
  const usage = new Usage()
  usage.set('default/a', ['default/settings'])

  expect(usage.set('default/a', ['default/settings'])).toEqual([])
})

const REFUSED_POD = podWith({
  hostNetwork: true,
  imagePullSecrets: [{ name: 'registry' }],
  volumes: [{ name: 'v', configMap: { name: 'settings' } }],
})

test('uses nothing for a pod that is refused', async () => {
  const uses = await usesWith()

  uses.recordPod(REFUSED_POD)

  expect(uses.secrets.isUsed('shop/registry')).toBe(false)
})

test('keeps what a pod uses that other rules allowed', async () => {
  const uses = await usesWith(hostOf(REFUSED_POD))

  uses.recordPod(REFUSED_POD)
  expect(uses.secrets.isUsed('shop/registry')).toBe(true)
  expect(uses.configmaps.isUsed('shop/settings')).toBe(true)

  uses.recordPod(REFUSED_POD, { isGone: true })
  expect(uses.secrets.isUsed('shop/registry')).toBe(false)
})

test('keeps what the host’s ingress uses when a change of it is refused', async () => {
  const longName = 'x'.repeat(80)
  const [cert, long] = ['cert', longName].map((name) =>
    hostOf(virtualObject('Secret', {}, { name })),
  )
  const accepted = hostOf(virtualObject('Ingress'), {
    spec: { tls: [{ secretName: cert?.metadata.name }] },
  })
  const auth = { 'nginx.ingress.kubernetes.io/auth-secret': `team-a/${long?.metadata.name}` }
  const host = { ...accepted, metadata: { ...accepted.metadata, annotations: auth } }
  const changed = { tls: [{ secretName: 'other' }], future: true }
  const uses = await usesWith(host, cert, long)

  uses.recordIngress(virtualObject('Ingress', { spec: changed }))

  expect(uses.secrets.isUsed('shop/cert')).toBe(true)
  expect(uses.secrets.isUsed(`shop/${longName}`)).toBe(true)
  expect(uses.secrets.isUsed('shop/other')).toBe(false)
})

/** The uses in a plane whose host has these objects. */
async function usesWith(...objects: Array<KubeObject | undefined>): Promise<Uses> {
  const kinds: Record<string, string> = { ingresses: 'Ingress', pods: 'Pod', secrets: 'Secret' }
  const ofKind = (resource: string) => objects.filter((one) => one?.kind === kinds[resource])
  const sides = byResource((resource) => cacheOf(...ofKind(resource)))
  const caches = await Promise.all(
    Object.entries(sides).map(async ([resource, host]) => [resource, { host: await host }]),
  )
  const context = {
    ...Object.fromEntries(caches),
    scope: SCOPE,
    surroundings: CONTEXT,
    hostClasses: () => ({ ingressClasses: new Map() }),
    translatePod: (pod: KubeObject) => toHostPod(pod, CONTEXT),
  }
  return new Uses(Object(context), () => {})
}
