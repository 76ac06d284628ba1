import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { localLayout, serverOf } from '../../../../src/drivers/local/components/local-layout.ts'
import { test } from '../guard/stored-plane.ts'
import { planeRecordOf } from '../plane-record-of.ts'

test('has only loopback addresses', ({ store }) => {
  const record = planeRecordOf('dev')

  const layout = localLayout(record, store.folder('dev'))

  const { advertiseClient, advertisePeer, listenClient, listenPeer } = layout.etcd
  const addresses = [
    listenClient,
    listenPeer,
    advertiseClient,
    advertisePeer,
    layout.apiServer.bindAddress,
    layout.apiServer.advertiseAddress,
    layout.controllerManager.bindAddress,
  ].map((address) => address.split(':')[0])
  expect(new Set(addresses)).toEqual(new Set(['127.0.0.1']))
  expect(layout.etcd.listenHttp).toMatch(/^unixs:\/\//)
  expect(layout.apiServer).toMatchObject({
    url: 'https://127.0.0.1:20003',
    etcdServers: ['https://127.0.0.1:20001'],
    endpointReconciler: 'none',
  })
  expect(serverOf(record.ports)).toBe('https://127.0.0.1:20003')
})

test('starts etcd as new only without data', async ({ store }) => {
  const folder = store.folder('dev')
  const record = planeRecordOf('dev')
  const stateNow = () => localLayout(record, folder).etcd.initialState

  expect(stateNow()).toBe('new')
  await mkdir(join(folder.etcdData, 'member/snap'), { recursive: true })
  expect(stateNow()).toBe('new')
  await writeFile(join(folder.etcdData, 'member/snap/db'), '')
  await mkdir(join(folder.etcdData, 'member/wal.tmp'))
  expect(stateNow()).toBe('new')
  await mkdir(join(folder.etcdData, 'member/wal'))
  expect(stateNow()).toBe('existing')
})
