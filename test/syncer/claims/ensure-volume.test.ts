import { expect, test } from 'vitest'
import { removeVolumes } from '../../../src/syncer/claims/ensure-volume.ts'
import { type ObjectKey, toObjectKey } from '../../../src/kube/cache/object-key.ts'
import { MemoryHostApi } from '../../support/api/memory-host-api.ts'
import { virtualObject } from '../translate/some-objects.ts'

const VOLUMES = '/api/v1/persistentvolumes'
const PROTECTION = 'kubernetes.io/pv-protection'
const KEY = toObjectKey({ name: 'web', namespace: 'shop' })

test('removes volumes that the controller of the plane protects, but for the one of the claim', async () => {
  const { finalizersOf, plane, remove } = planeWith(['former', 'present'])

  await remove('present')

  expect(plane.objects.has(`${VOLUMES}/former`)).toBe(false)
  expect(plane.objects.get(`${VOLUMES}/present`)?.metadata).not.toHaveProperty('deletionTimestamp')
  expect(finalizersOf('present')).toEqual([PROTECTION])
})

test('leaves a volume to another holder', async () => {
  const { finalizersOf, plane, remove } = planeWith(['former'], ['example.com/audit'])

  await remove(undefined)

  expect(plane.objects.get(`${VOLUMES}/former`)?.metadata).toHaveProperty('deletionTimestamp')
  expect(finalizersOf('former')).toEqual(['example.com/audit'])
})

/** A plane with volumes of a claim, and the controller that protects each of them until it is about to go. */
function planeWith(names: readonly string[], finalizers: readonly string[] = []) {
  const plane = new MemoryHostApi({
    onChange: ({ object, path, type }) => {
      const { deletionTimestamp, finalizers: known } = object.metadata
      const held = Array.isArray(known) ? known : []
      if (type !== 'DELETED' && deletionTimestamp === undefined && !held.includes(PROTECTION)) {
        const metadata = { ...object.metadata, finalizers: [...held, PROTECTION] }
        plane.put(path, { ...object, metadata })
      }
    },
  })
  for (const name of names) {
    const spec = { claimRef: { namespace: 'shop', name: 'web' } }
    const volume = virtualObject('PersistentVolume', { spec }, { name, finalizers })
    plane.put(`${VOLUMES}/${name}`, volume)
  }
  const volumes = {
    get: (key: ObjectKey) => plane.objects.get(`${VOLUMES}${key}`),
    values: () => plane.objects.values(),
  }
  return {
    plane,
    finalizersOf: (name: string) => plane.objects.get(`${VOLUMES}/${name}`)?.metadata['finalizers'],
    remove: (except: string | undefined) =>
      removeVolumes({ plane, volumes }, { except, key: KEY }, AbortSignal.timeout(5000)),
  }
}
