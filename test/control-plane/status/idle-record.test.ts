import { expect, test } from 'vitest'
import { formatIdleStatus, parseIdleStatus } from '../../../src/control-plane/status/idle-record.ts'
import { thrownBy } from '../../support/thrown-by.ts'

test('reads what was written', () => {
  const status = { usedAt: new Date('2026-06-01T12:00:00Z'), mark: '1:2' }

  expect(parseIdleStatus(formatIdleStatus(status), 'idle.json')).toEqual(status)
})

test.for(['', '{', '{}', '{"usedAt":"yesterday","mark":"1"}', '{"usedAt":"2026-06-01T12:00:00Z"}'])(
  'knows nothing from %j',
  (text) => {
    expect(parseIdleStatus(text, 'idle.json')).toEqual({})
  },
)

test('refuses what a newer vplane wrote', () => {
  const text = JSON.stringify({ formatVersion: 2, writtenBy: '9.0.0' })

  expect(thrownBy(() => parseIdleStatus(text, 'idle.json'))).toMatchObject({
    code: 'FAILED',
    message: 'idle.json was written in a newer format: vplane 9.0.0 or later is needed',
  })
})
