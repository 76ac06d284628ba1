import { expect, test } from 'vitest'
import { watchPlanes } from '../../../src/cli/output/watch-planes.ts'
import type { Listed } from '../../../src/cli/results/plane-result.ts'
import { listed, storedPlane } from '../../support/driver/some-planes.ts'

const dev = listed(storedPlane('dev'))
const paused = listed(storedPlane('dev'), { phase: 'Paused' })
const other = listed(storedPlane('other'))

test('reports planes that are new, changed or deleted, and ends with the signal', async () => {
  const stop = new AbortController()
  const lists: Listed[][] = [[dev], [dev, other], [paused, other], [other]]
  const list = () => Promise.resolve(lists.shift() ?? [other])
  const reported: string[][] = []

  for await (const planes of watchPlanes([dev], list, { intervalMs: 1, signal: stop.signal })) {
    reported.push(
      planes.map(({ isDeleted, plane, status }) =>
        [plane.name, isDeleted === true ? 'deleted' : status.phase].join(' '),
      ),
    )
    if (reported.length === 3) {
      stop.abort()
    }
  }

  expect(reported).toEqual([['other Ready'], ['dev Paused'], ['dev deleted']])
})
