import { expect, test } from 'vitest'
import { changedRows } from '../../../src/cli/output/changed-rows.ts'
import { planeTable } from '../../../src/cli/output/plane-table.ts'
import { listed, NOON, storedPlane } from '../../support/driver/some-planes.ts'

const OPTIONS = { now: NOON, width: undefined }

const stored = storedPlane('dev', { driver: 'kubernetes', namespace: 'team' })
const dev = listed(stored)
const notReady = listed(stored, { phase: 'NotReady' })

const tunnelled = { ...dev, tunnel: { plane: stored, address: '127.0.0.1:21000', isUp: true } }

test('has a header when nothing was printed before, and no second one', () => {
  const rowsOf = changedRows([], undefined)

  expect(rowsOf([dev], OPTIONS)).toMatch(/^NAME .*\ndev +kubernetes +team +Ready .*$/)
  expect(rowsOf([notReady], OPTIONS)).toMatch(/^dev +kubernetes +team +NotReady .*$/)
})

test('has another header whenever the columns are others', () => {
  const rowsOf = changedRows([dev], planeTable([dev], OPTIONS))

  expect(rowsOf([notReady], OPTIONS)).toMatch(/^dev [^\n]*$/)
  expect(rowsOf([tunnelled], OPTIONS)).toMatch(/^NAME .* TUNNEL .*\ndev .* 127\.0\.0\.1:21000 /)
  expect(rowsOf([tunnelled], OPTIONS)).toMatch(/^dev [^\n]*$/)
  expect(rowsOf([dev], OPTIONS)).toMatch(/^NAME (?!.*TUNNEL).*\ndev [^\n]*$/)
})
