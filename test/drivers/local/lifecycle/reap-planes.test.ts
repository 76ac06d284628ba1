import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import type { ProcessTable } from '../../../../src/shared/processes/process-table.ts'
import { reapPlanes } from '../../../../src/drivers/local/lifecycle/reap-planes.ts'
import type { PlaneStore } from '../../../../src/drivers/local/store/plane-store.ts'
import { test } from '../guard/stored-plane.ts'
import { planeRecordOf } from '../plane-record-of.ts'

const ephemeral = resolveSpec({ ephemeral: true })
const OWNER = 4711
const DEAD = { processId: 4712, startTime: '1' }
const HERE = { hostName: 'this machine', pidNamespace: 'these processes' }

test.for([
  ['an ephemeral plane of an earlier boot', { spec: ephemeral, bootId: 'an earlier boot' }],
  ['a plane whose owner has ended', { owner: DEAD }],
  ['a plane whose owner has ended here', { owner: DEAD, machine: HERE }],
  [
    'an owned plane of an earlier boot, in another container',
    { owner: DEAD, bootId: 'an earlier boot', machine: { ...HERE, pidNamespace: 'another' } },
  ],
  ['a plane whose owner has a later namesake', { owner: { processId: OWNER, startTime: '99' } }],
] as const)('removes %s', async ([, fields], { store }) => {
  await store.add(planeRecordOf('dev', fields))

  expect(await reap(store)).toEqual([])
  expect(await readdir(store.planes)).toEqual([])
})

test.for([
  ['an ephemeral plane of this boot', { spec: ephemeral }],
  ['a plane of an earlier boot that is not ephemeral', { bootId: 'an earlier boot' }],
  ['a plane whose owner lives', { owner: { processId: OWNER, startTime: '1' } }],
  ['a plane of nobody', {}],
  [
    'a plane whose owner is in another container',
    { owner: DEAD, machine: { ...HERE, pidNamespace: 'another' } },
  ],
  [
    'an ephemeral plane of another machine',
    { spec: ephemeral, bootId: 'of another machine', machine: { ...HERE, hostName: 'another' } },
  ],
] as const)('does not remove %s', async ([, fields], { store }) => {
  await store.add(planeRecordOf('dev', fields))

  expect(await reap(store)).toEqual(['dev'])
  expect(await readdir(store.planes)).toEqual(['dev'])
})

test('does not remove a plane with an unreadable record', async ({ store }) => {
  await mkdir(store.folder('dev').root, { recursive: true })
  await writeFile(store.folder('dev').record, '{')

  expect(await reap(store)).toEqual(['dev'])
})

test('does not remove another plane that has the name by now', async ({ store }) => {
  await store.add(planeRecordOf('dev', { spec: ephemeral, bootId: 'an earlier boot' }))
  const found = await store.list()
  const lock = await store.lock('dev', { signal: new AbortController().signal })

  const reaping = reapPlanes({ store, table: fakeTable() }, found)
  await store.remove('dev')
  const created = await store.add(planeRecordOf('dev', { spec: ephemeral }))
  await lock[Symbol.asyncDispose]()
  await reaping

  expect((await store.find('dev'))?.record).toEqual(created)
})

test('returns a plane that cannot be removed now', async ({ store }) => {
  await store.add(planeRecordOf('dev', { spec: ephemeral, bootId: 'an earlier boot' }))
  const findByCommand = () => {
    throw new Error('no more processes')
  }

  expect(await reap(store, { ...fakeTable(), findByCommand })).toEqual(['dev'])
})

test('removes the leftovers of a killed vplane', async ({ store }) => {
  await store.add(planeRecordOf('dev'))
  await mkdir(join(store.planes, `.old-${process.pid}-0123abcd-gone-x`))

  expect(await reap(store)).toEqual(['dev'])
  expect(await readdir(store.planes)).toEqual(['dev'])
})

async function reap(store: PlaneStore, table = fakeTable()): Promise<string[]> {
  const remaining = await reapPlanes({ store, table, here: HERE }, await store.list())
  return remaining.map(({ name }) => name)
}

function fakeTable(): ProcessTable {
  return {
    startTimeOf: (processId) => (processId === OWNER ? '1' : undefined),
    bootId: () => 'this boot',
    findByCommand: () => [],
  }
}
