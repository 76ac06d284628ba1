import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  isAlive,
  type ProcessRecord,
  readProcessRecord,
  removeProcessRecord,
  writeProcessRecord,
} from '../../../../src/shared/processes/launch/process-record.ts'
import { temporaryFolder } from '../../../support/machine/temporary-folder.ts'

const record: ProcessRecord = {
  formatVersion: 1,
  processId: 4711,
  startTime: '100',
  bootId: 'this boot',
  startedAt: '2026-01-02T03:04:05.000Z',
}

test('reads what it wrote, until it is removed', async () => {
  await using place = await temporaryFile()

  await writeProcessRecord(place.path, record)

  expect(readProcessRecord(place.path)).toEqual(record)
  expect((await stat(place.path)).mode & 0o777).toBe(0o600)
  await removeProcessRecord(place.path)
  await removeProcessRecord(place.path)
  expect(readProcessRecord(place.path)).toBeUndefined()
})

test.for([
  '',
  '{"processId":4711,"startT',
  'null',
  '{}',
  // Signals to these numbers would reach whole groups of processes, or init.
  ...['4711', 0, 1, -1, 1.5].map((processId) => JSON.stringify({ ...record, processId })),
])('has no use for a file with %j', async (text) => {
  await using place = await temporaryFile()
  await writeFile(place.path, text)

  expect(readProcessRecord(place.path)).toBeUndefined()
})

test.for([
  ['lives', record, '100', 'this boot', true],
  ['has ended', record, undefined, 'this boot', false],
  ['has a later namesake', record, '101', 'this boot', false],
  ['is of an earlier boot', record, '100', 'that boot', false],
  ['was never written down', undefined, '100', 'this boot', false],
  ['ended before it was recorded', { ...record, startTime: '' }, undefined, 'this boot', false],
] as const)('knows that a process %s', ([, written, startTime, bootId, expected]) => {
  const table = { startTimeOf: () => startTime, bootId: () => bootId, findByCommand: () => [] }

  expect(isAlive(written, table)).toBe(expected)
})

async function temporaryFile() {
  const folder = await temporaryFolder()
  return { ...folder, path: join(folder.path, 'etcd.json') }
}
