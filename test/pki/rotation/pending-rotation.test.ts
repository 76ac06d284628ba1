import { expect, test } from 'vitest'
import {
  begin,
  finish,
  PENDING_FILE,
  pendingStep,
  withPending,
} from '../../../src/pki/rotation/pending-rotation.ts'

const BEFORE = { 'ca.key': 'stays', 'sa.key': 'old', 'next/sa.key': 'new' }
const NEXT = { 'ca.key': 'stays', 'sa.key': 'new', 'sa.pub': 'both' }
const STEP = { keys: 'service-account-key', stage: 'switch' } as const

const begun = begin(BEFORE, NEXT, STEP)

test('records the changes, and changes nothing else', () => {
  expect(begun).toEqual({ ...BEFORE, [PENDING_FILE]: expect.any(String) })
  expect(begun[PENDING_FILE]).not.toContain('stays')
  expect(pendingStep(begun)).toEqual(STEP)
})

test.for([
  ['nothing of it is written', {}],
  ['half of it is written', { 'sa.key': 'new' }],
  ['all of it is written', NEXT],
] as const)('knows the changes when %s', ([, written]) => {
  const found = { ...begun, ...written }

  expect(withPending(found)).toEqual({ ...NEXT, [PENDING_FILE]: begun[PENDING_FILE] })
  expect(finish(found)).toEqual(NEXT)
})

test('does not change files without a stage', () => {
  expect(withPending(BEFORE)).toBe(BEFORE)
  expect(pendingStep(BEFORE)).toBeUndefined()
})

const OF_OTHER_KEYS = '{"formatVersion":1,"step":{"keys":"other","stage":"switch"},"files":{}}'

test.for(['{', OF_OTHER_KEYS])('refuses an invalid record: %s', (text) => {
  expect(() => withPending({ [PENDING_FILE]: text })).toThrow('damaged')
})
