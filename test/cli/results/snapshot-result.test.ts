import { expect, test } from 'vitest'
import { snapshotName } from '../../../src/cli/results/snapshot-result.ts'

test.for([
  ['dev-1', undefined, 'dev-1'],
  ['dev-1', 's3://backups', 's3://backups/dev-1'],
  ['dev-1', 's3://backups/planes', 's3://backups/planes/dev-1'],
  ['dev-1', 's3://backups/planes/', 's3://backups/planes/dev-1'],
] as const)('names %s of the store %s as %s, which delete and restore take', (row) => {
  const [id, store, name] = row

  expect(snapshotName(id, store)).toBe(name)
})
