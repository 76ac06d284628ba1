import { expect, test } from 'vitest'
import type { Kept } from '../../../src/control-plane/plane/kept.ts'
import { KeptPlanes } from '../../../src/keeper/pod/kept-planes.ts'
import { planeFiles } from '../../../src/keeper/pod/plane-files.ts'
import { planesName } from '../../../src/manifests/gateway-records.ts'
import { keeperSettingsData } from '../../../src/manifests/keeper-settings.ts'
import { GATEWAY_NAME, KEPT_LABEL, objectLabels } from '../../../src/manifests/object-names.ts'
import { MemoryHostApi } from '../../support/api/memory-host-api.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const CORE = '/api/v1/namespaces/team-a'
const PLANES = planesName(GATEWAY_NAME)

test('knows the planes that need it now, also when one has settings that cannot be read', async () => {
  const api = new MemoryHostApi()
  putSettings(api, 'one', { isKept: true })
  putSettings(api, 'paused', { isKept: false })
  putSettings(api, 'damaged', { isKept: true, data: {} })
  const lines: string[] = []
  const planes = new KeptPlanes(api, 'team-a', (line) => lines.push(line))
  const stop = new AbortController()
  const running = planes.run(stop.signal).catch(() => {})
  const names = () => planes.list().map(({ name }) => name)

  await expect.poll(names).toEqual(['one'])
  expect(planes.list()).toBe(planes.list())
  putSettings(api, 'two', { isKept: true })
  await expect.poll(names).toEqual(['one', 'two'])
  api.remove(`${CORE}/configmaps/vplane-one-keeper-settings`)
  await expect.poll(names).toEqual(['two'])

  stop.abort()
  await running
  expect(lines).toEqual([
    expect.stringContaining('error: cannot read the ConfigMap "vplane-damaged-keeper-settings": '),
  ])
})

test('lists a plane that sleeps as another one when what its gateway knows was created again', async () => {
  const api = new MemoryHostApi()
  putSettings(api, 'awake', { isKept: true })
  putSettings(api, 'asleep', { isKept: 'asleep' })
  const path = `${CORE}/configmaps/${PLANES}`
  const putRecords = (data: Record<string, string>) =>
    api.put(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: PLANES }, data })
  putRecords({})
  const planes = new KeptPlanes(api, 'team-a', () => {})
  const stop = new AbortController()
  const running = planes.run(stop.signal).catch(() => {})
  const uids = () => planes.list().map(({ gatewayUid }) => gatewayUid)

  await expect.poll(uids).toEqual([undefined, expect.any(String)])
  const [, first] = uids()
  putRecords({ asleep: 'a record' })
  putSettings(api, 'another', { isKept: 'asleep' })
  await expect.poll(uids).toEqual([undefined, first, first])
  api.remove(path)
  putRecords({})
  await expect.poll(() => uids()[1]).not.toBe(first)
  expect(uids()).toEqual([undefined, expect.any(String), expect.any(String)])

  stop.abort()
  await running
})

test('reads the files of a plane again after a while, and not each time', async () => {
  const api = new MemoryHostApi()
  const putFiles = (text: string) =>
    api.put(`${CORE}/secrets/vplane-dev-keeper`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'vplane-dev-keeper' },
      data: { 'etcd_ca.crt': Buffer.from(text).toString('base64') },
    })
  let time = new Date('2026-06-01T12:00:00Z')
  const read = planeFiles(api, { name: 'dev', namespace: 'team-a' }, () => time)

  expect(await rejectionOf(read())).toMatchObject({ message: expect.stringContaining('missing') })
  putFiles('first')
  const files = [await read()]
  putFiles('second')
  time = new Date('2026-06-01T12:00:20Z')
  files.push(await read())
  time = new Date('2026-06-01T12:00:40Z')
  files.push(await read())

  expect(files.map((one) => one['etcd/ca.crt'])).toEqual(['first', 'first', 'second'])
})

function putSettings(
  api: MemoryHostApi,
  name: string,
  { data, isKept }: { isKept: Kept | boolean; data?: Record<string, string> },
): void {
  const settings = { name, id: name, components: [], etcdMembers: 1 }
  api.put(`${CORE}/configmaps/vplane-${name}-keeper-settings`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `vplane-${name}-keeper-settings`,
      namespace: 'team-a',
      labels: { ...objectLabels(name, 'keeper'), [KEPT_LABEL]: String(isKept) },
    },
    data: data ?? keeperSettingsData(settings),
  })
}
