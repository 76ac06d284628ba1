import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startPlane } from '../../../../src/drivers/local/lifecycle/start-plane.ts'
import { removePlane } from '../../../../src/drivers/local/lifecycle/remove-plane.ts'
import { fakeMachine } from '../fake-machine.ts'
import { startPlaneProcess } from '../guard/stored-plane.ts'

test('leaves neither processes nor files of a plane', async () => {
  await using machine = fakeMachine()
  const { context, operation, store } = machine
  await startPlane(context, await machine.add('dev'), { operation, wait: true })
  await startPlaneProcess(store, 'dev')

  const leftovers = await removePlane(context, 'dev', operation)

  expect(leftovers).toEqual([])
  expect(machine.allProcessIds()).toEqual([])
  expect(readdirSync(store.planes)).toEqual([])
})

test('does not touch planes whose names begin with the same text', async () => {
  await using machine = fakeMachine()
  const { context, operation, store, table } = machine
  await machine.add('dev')
  await machine.add('dev-2')
  const other = await startPlaneProcess(store, 'dev-2')

  await removePlane(context, 'dev', operation)

  expect(table.startTimeOf(other)).toBeDefined()
  expect((await store.list()).map(({ name }) => name)).toEqual(['dev-2'])
})

test('ends the processes of a plane whose folder is missing', async () => {
  await using machine = fakeMachine()
  const { context, operation, store, table } = machine
  const stray = await startPlaneProcess(store, 'dev')

  const leftovers = await removePlane(context, 'dev', operation)

  expect(leftovers).toEqual([])
  expect(table.startTimeOf(stray)).toBeUndefined()
})

test('reports a process that comes back', async () => {
  await using machine = fakeMachine()
  const { operation, store } = machine
  await machine.add('dev')
  const table = {
    startTimeOf: (processId: number) => (processId === 4_000_000 ? '1' : undefined),
    bootId: () => 'this boot',
    calls: 0,
    findByCommand() {
      this.calls += 1
      return this.calls === 1 ? [] : [4_000_000]
    },
  }

  const leftovers = await removePlane({ store, table }, 'dev', operation)

  expect(leftovers).toEqual([{ what: 'process 4000000', why: 'it did not end when it was killed' }])
})
