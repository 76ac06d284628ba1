import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { removeProtected } from '../../../../src/drivers/local/guard/remove-protected.ts'
import { processTableOf } from '../../../../src/shared/processes/process-table-of.ts'
import { startPlaneProcess, storePlane, test } from './stored-plane.ts'

const OWNER = { processId: 4711, startTime: '1' }
const table = processTableOf(process.platform)

test('removes the planes of its owner with all of their processes', async ({ root, store }) => {
  await storePlane(store, 'a', OWNER)
  await storePlane(store, 'b', OWNER)
  const processes = [await startPlaneProcess(store, 'a'), await startPlaneProcess(store, 'b')]

  const failures = await remove(root, ['a', 'b'])

  expect(failures).toEqual([])
  expect(await store.list()).toEqual([])
  expect(processes.map((processId) => table.startTimeOf(processId))).toEqual([undefined, undefined])
})

test.for([
  ['another owner', { processId: 4712, startTime: '1' }],
  ['nobody', undefined],
] as const)('keeps a plane of the same name of %s', async ([, owner], { root, store }) => {
  await storePlane(store, 'a', owner)

  expect(await remove(root, ['a'])).toEqual([])
  expect(await store.list()).toMatchObject([{ name: 'a' }])
})

test('does not remove a plane with an unreadable owner', async ({ root, store }) => {
  await storePlane(store, 'a', OWNER)
  await writeFile(store.folder('a').record, '{')

  await remove(root, ['a'])

  expect(await store.list()).toMatchObject([{ name: 'a' }])
})

test('leaves no trace of planes that were never created', async ({ root }) => {
  const missing = join(root, 'deeper')

  expect(await remove(missing, ['a'])).toEqual([])
  expect(existsSync(missing)).toBe(false)
})

test('removes the others when one cannot be removed', async ({ root, store }) => {
  await storePlane(store, 'a', OWNER)
  await storePlane(store, 'b', OWNER)
  const stubborn = {
    ...table,
    findByCommand: (isWanted: (words: string[], processId: number) => boolean) => {
      if (isWanted(['etcd', `--config-file=${store.folder('a').configuration}/etcd.json`], 1)) {
        throw new Error('no such table')
      }
      return []
    },
  }

  const failures = await remove(root, ['a', 'b'], stubborn)

  expect(failures).toEqual(['cannot remove "a": no such table'])
  expect(await store.list()).toMatchObject([{ name: 'a' }])
})

function remove(root: string, names: string[], processes = table): Promise<string[]> {
  const planes = names.map((name) => ({ root, name }))
  return removeProtected({ ownerProcessId: OWNER.processId, planes }, processes)
}
