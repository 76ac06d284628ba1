import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { keyOf, type ObjectKey } from '../../../src/kube/cache/object-key.ts'
import {
  hostObjectsNamed,
  virtualNameOf,
} from '../../../src/syncer/host-objects/host-objects-named.ts'
import { byResource } from '../../../src/syncer/scope/resources.ts'
import { hostOf, SCOPE, virtualObject } from '../translate/some-objects.ts'

const LONG = 'data-my-release-postgresql-0-of-many-that-have-long-names'

const hostObject = (kind: string, name: string) => hostOf(virtualObject(kind, {}, { name }))

/** These objects, as the host has them by resource. */
function onHost(objects: Partial<Record<'pods' | 'services' | 'secrets', KubeObject[]>>) {
  const sides = byResource((resource) => {
    const list: KubeObject[] = resource in objects ? Object(objects)[resource] : []
    return { host: { get: (key: ObjectKey) => list.find((one) => keyOf(one) === key) } }
  })
  return { ...sides, scope: SCOPE }
}

test('finds the objects of all kinds that have a name, but none that is not of the plane', () => {
  const other = hostObject('Service', 'web')
  const known = onHost({
    pods: [hostObject('Pod', 'web'), hostObject('Pod', 'shop')],
    services: [{ ...other, metadata: { ...other.metadata, labels: {} } }],
    secrets: [hostObject('Secret', 'web')],
  })

  const found = hostObjectsNamed(known, 'web-x-shop-x-dev')

  expect(found).toMatchObject([
    { object: { kind: 'Pod' }, identity: { name: 'web', namespace: 'shop', uid: 'uid-of-web' } },
    { object: { kind: 'Secret' } },
  ])
})

test.for([
  ['what is there, by a name with a hash', hostObject('Secret', LONG).metadata.name ?? '', LONG],
  ['what is not there, by its short name', 'gone-x-shop-x-dev', 'gone'],
  ['what is not of the plane', 'vplane-dev-etcd-0', undefined],
] as const)('names %s', ([, hostName, expected]) => {
  const known = onHost({ secrets: [hostObject('Secret', LONG)] })

  expect(virtualNameOf(known, hostName)).toBe(expected)
})
