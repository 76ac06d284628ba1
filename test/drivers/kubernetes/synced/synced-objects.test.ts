import { expect, test } from 'vitest'
import { unsyncedObjects } from '../../../../src/drivers/kubernetes/synced/synced-objects.ts'
import {
  MANAGED_BY,
  NAME_ANNOTATION,
  SYNCED_BY_LABEL,
  SYNCER,
} from '../../../../src/manifests/object-names.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }

test('finds what a syncer made of a kind that is switched off, and nothing else', async () => {
  const api = new MemoryHostApi()
  const paths = ['mine', 'of-others'].map((name) => {
    const path = `/apis/networking.k8s.io/v1/namespaces/team-a/ingresses/${name}`
    const labels = { [MANAGED_BY]: SYNCER, [SYNCED_BY_LABEL]: 'dev' }
    const annotations = name === 'mine' ? { [NAME_ANNOTATION]: 'web' } : {}
    const metadata = { name, namespace: 'team-a', labels, annotations }
    api.put(path, { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata })
    return path
  })
  const { signal } = new AbortController()
  const found = async (kinds: { ingresses?: boolean }) =>
    unsyncedObjects(api, { place: PLACE, sync: Object({ kinds }) }, signal)

  expect((await found({ ingresses: false })).map(({ path }) => path)).toEqual([paths[0]])
  expect(await found({})).toEqual([])
})
