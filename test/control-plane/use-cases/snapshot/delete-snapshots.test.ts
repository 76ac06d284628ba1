import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSnapshot } from '../../../../src/control-plane/use-cases/snapshot/create-snapshot.ts'
import { deleteSnapshots } from '../../../../src/control-plane/use-cases/snapshot/delete-snapshots.ts'
import { worldWithSnapshots } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const NEVER = new AbortController().signal
const AGREED = { isConfirmed: true, signal: NEVER }

/** A machine with so many snapshots of one plane. */
async function machineWith(count: number, answers: boolean[] = []) {
  const { store, world } = await worldWithSnapshots({ answers })
  const ids: string[] = []
  for (let taken = 0; taken < count; taken += 1) {
    const { id = '' } = await createSnapshot(world, { name: 'dev', signal: NEVER })
    ids.push(id)
  }
  const kept = async () => (await store.snapshots.local.list(NEVER)).map(({ id }) => id).toSorted()
  return { ids, kept, world, folder: store.folder }
}

test('deletes what it was given after a yes, each once', async () => {
  const machine = await machineWith(3, [true])
  const [one = '', two = '', three = ''] = machine.ids

  const options = { ids: [one, two, one], isConfirmed: false, signal: NEVER }
  const { deleted, what } = await deleteSnapshots(machine.world, options)

  expect([deleted, what]).toEqual([[one, two], '2 snapshots'])
  expect(machine.world.ui.questions).toEqual(['Delete 2 snapshots?'])
  expect(await machine.kept()).toEqual([three])
})

test('keeps a snapshot after a no', async () => {
  const machine = await machineWith(1, [false])

  const options = { ids: machine.ids, isConfirmed: false, signal: NEVER }
  const error = await rejectionOf(deleteSnapshots(machine.world, options))

  expect(error).toMatchObject({
    code: 'ABORTED',
    message: `the snapshot ${machine.ids[0]} was not deleted`,
  })
  expect(await machine.kept()).toEqual(machine.ids)
})

test.for([
  [['nope'], 'there is no snapshot "nope"'],
  [['nope', 'neither', 'nope'], 'there are no snapshots "nope", "neither"'],
] as const)('does not ask about %j, and deletes none with them', async ([missing, message]) => {
  const machine = await machineWith(1)

  const options = { ids: [...machine.ids, ...missing], isConfirmed: false, signal: NEVER }
  const error = await rejectionOf(deleteSnapshots(machine.world, options))

  expect(error).toMatchObject({ code: 'NOT_FOUND', message })
  expect(error.hints).toEqual(['vplane snapshot list'])
  expect(machine.world.ui.questions).toEqual([])
  expect(await machine.kept()).toEqual(machine.ids)
})

test('names the store in which snapshots of a bucket were looked for', async () => {
  const machine = await machineWith(0)
  const { openSnapshots, ui } = machine.world
  const snapshots = { ...(await openSnapshots()), has: async () => false }
  const world = { ui, openSnapshots: async () => snapshots }

  const deletion = deleteSnapshots(world, { ids: ['s3://backups/planes/dev-1'], ...AGREED })

  expect((await rejectionOf(deletion)).hints).toEqual([
    'vplane snapshot list --store s3://backups/planes',
  ])
})

test('deletes a snapshot whose record is damaged', async () => {
  const machine = await machineWith(1)
  const [id = ''] = machine.ids
  await writeFile(join(machine.folder, 'snapshots', `${id}.json`), 'damaged')

  const { deleted } = await deleteSnapshots(machine.world, { ids: [id], ...AGREED })

  expect(deleted).toEqual([id])
  expect(await machine.kept()).toEqual([])
})
