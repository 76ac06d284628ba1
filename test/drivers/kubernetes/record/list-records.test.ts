import { expect, test } from 'vitest'
import { listRecords } from '../../../../src/drivers/kubernetes/record/list-records.ts'
import { addRecord } from '../../../../src/drivers/kubernetes/record/record-store.ts'
import { MemoryHostApi, type MemoryHostHooks } from '../../../support/api/memory-host-api.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { RecordingUi } from '../../../support/driver/recording-ui.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { planeRecordOf } from '../plane-record-of.ts'

const { signal } = new AbortController()
const FORBIDDEN = refusing(403, 'secrets is forbidden', /^list /)

test('lists the planes of all namespaces with one request', async () => {
  const host = await hostWith(['team-a/dev', 'team-b/dev', 'team-b/prod'])

  const found = await listRecords(host, {})

  expect(found.map(placeOf)).toEqual(['team-a/dev', 'team-b/dev', 'team-b/prod'])
  expect(host.api.requests).toEqual(['list /api/v1/secrets'])
})

test('lists planes of one name, and of one namespace', async () => {
  const host = await hostWith(['team-a/dev', 'team-b/dev', 'team-b/prod'])

  const named = await listRecords(host, { name: 'dev' })
  const placed = await listRecords(host, { namespace: 'team-b' })
  const both = await listRecords(host, { name: 'prod', namespace: 'team-a' })

  expect(named.map(placeOf)).toEqual(['team-a/dev', 'team-b/dev'])
  expect(placed.map(placeOf)).toEqual(['team-b/dev', 'team-b/prod'])
  expect(both).toEqual([])
})

test('reads one plane of a namespace without looking through all of the namespace', async () => {
  const host = await hostWith(['team-a/dev', 'team-a/prod'])

  const found = await listRecords(host, { name: 'dev', namespace: 'team-a' })

  expect(found.map(placeOf)).toEqual(['team-a/dev'])
  expect(host.api.requests).toEqual(['get /api/v1/namespaces/team-a/secrets/vplane-dev-record'])
})

test('lists only the namespace of the context if no more is allowed, and notes that', async () => {
  const hooks = refusing(403, 'secrets is forbidden', / \/api\/v1\/secrets$/)
  const host = await hostWith(['team-a/dev', 'team-b/dev'], hooks)
  const ui = new RecordingUi()

  const found = await listRecords(host, { ui })

  expect(found.map(placeOf)).toEqual(['team-a/dev'])
  expect(ui.notes).toEqual([
    'Only namespace "team-a" was searched; for another one: --namespace NAMESPACE',
  ])
})

test('lists the default namespace of a plane, and likely ones, if not all may be listed', async () => {
  const closed = /^list \/api\/v1(\/namespaces\/team-a)?\/secrets$/
  const hooks = refusing(403, 'secrets is forbidden', closed)
  const host = await hostWith(['team-a/dev', 'vplane-dev/dev', 'team-b/prod'], hooks)
  const ui = new RecordingUi()
  const likelyNamespaces = () => Promise.resolve(['team-b', 'team-b'])

  const named = await listRecords(host, { name: 'dev', ui })
  const all = await listRecords(host, { likelyNamespaces, ui })

  expect(named.map(placeOf)).toEqual(['vplane-dev/dev'])
  expect(all.map(placeOf)).toEqual(['team-b/prod'])
  expect(ui.notes).toEqual([
    'Only namespace "vplane-dev" was searched; for another one: --namespace NAMESPACE',
    'Only namespace "team-b" was searched; for another one: --namespace NAMESPACE',
  ])
})

test('does not ask for likely namespaces when all may be listed', async () => {
  const host = await hostWith(['team-a/dev'])

  const likelyNamespaces = () => Promise.reject(new Error('asked'))

  expect(await listRecords(host, { likelyNamespaces })).toHaveLength(1)
})

test('fails with the message of the host when nothing may be listed', async () => {
  const host = await hostWith([], FORBIDDEN)

  expect((await rejectionOf(listRecords(host, {}))).message).toBe('secrets is forbidden')
})

test.for([undefined, 'team-b'])(
  'returns nothing where nothing may be listed, if that is fine, in namespace %s',
  async (namespace) => {
    const host = await hostWith(['team-b/dev'], FORBIDDEN)

    expect(await listRecords(host, { namespace, ignoresForbidden: true })).toEqual([])
  },
)

test('does not treat an unreachable host as a refusal', async () => {
  const host = await hostWith([], refusing(503, 'not now', /^list /))

  expect((await rejectionOf(listRecords(host, {}))).code).toBe('UNREACHABLE')
  expect(host.api.requests).toHaveLength(1)
})

test('stops when the signal fires', async () => {
  const host = await hostWith([])

  await expect(listRecords(host, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/)
})

async function hostWith(planes: readonly string[], hooks: MemoryHostHooks = {}) {
  const api = new MemoryHostApi(hooks)
  for (const plane of planes) {
    const [namespace = '', name = ''] = plane.split('/')
    await addRecord(api, { name, namespace }, { record: planeRecordOf(name), signal })
  }
  api.requests.length = 0
  return { api, namespace: 'team-a' }
}

function placeOf({ name, namespace }: { name: string; namespace: string }): string {
  return `${namespace}/${name}`
}
