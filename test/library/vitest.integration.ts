import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownerPlace } from './owners.ts'
import { runProject } from './run-project.ts'
import { seenIn } from './shared-plane/seen.ts'

test('shares one plane among all files of a run, each with a namespace of its own', async () => {
  await using place = ownerPlace()

  const { output, status } = runProject(join(import.meta.dirname, 'shared-plane'), place.folder)

  expect(output).toMatch(/Tests +5 passed/)
  expect(status).toBe(0)
  const seen = seenIn(output)
  expect(new Set(seen.map(({ plane }) => plane)).size).toBe(1)
  const namespacesOf = (file: string) =>
    new Set(seen.filter((one) => one.file === file).map(({ namespace }) => namespace))
  expect(namespacesOf('fixtures').size).toBe(1)
  expect(namespacesOf('hooks').size).toBe(1)
  expect(namespacesOf('fixtures')).not.toEqual(namespacesOf('hooks'))
  expect(place.planes()).toEqual([])
  expect(place.processes().size).toBe(0)
})

test('tests the example controller', async () => {
  await using place = ownerPlace()

  const { output, status } = runProject(
    join(import.meta.dirname, '../example-controller'),
    place.folder,
  )

  expect(output).toMatch(/Test Files +2 passed/)
  expect(status).toBe(0)
  expect(place.planes()).toEqual([])
})
