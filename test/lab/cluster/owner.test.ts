import { expect, test } from 'vitest'
import type { ClusterRecord } from './cluster-record.ts'
import { isOrphan, thisProcess } from './owner.ts'

const RECORD: ClusterRecord = {
  formatVersion: 1,
  name: 'one',
  group: 'one-12345678',
  index: 0,
  nodeCount: 1,
  version: '1.36.3',
  createdAt: '2026-01-01T00:00:00.000Z',
}

test('a cluster that somebody made by hand belongs to nobody and stays', () => {
  expect(isOrphan(RECORD)).toBe(false)
})

test('a cluster stays as long as the process that it ends with', () => {
  const owner = thisProcess()

  expect(isOrphan({ ...RECORD, owner })).toBe(false)
  expect(isOrphan({ ...RECORD, owner: { ...owner, startTime: '1' } })).toBe(true)
  expect(isOrphan({ ...RECORD, owner: { ...owner, bootId: 'another' } })).toBe(true)
})
