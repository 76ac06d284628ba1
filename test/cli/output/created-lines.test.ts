import { expect, test } from 'vitest'
import { createdLines } from '../../../src/cli/output/created-lines.ts'
import { storedPlane } from '../../support/driver/some-planes.ts'

const HOSTED = { driver: 'kubernetes', namespace: 'team', hostContext: 'work' } as const

test.for([
  [{ isNew: true, isReady: true }, {}, '"dev" is ready.'],
  [{ isNew: true, isReady: false }, {}, '"dev" is starting.'],
  [{ isNew: false, isReady: false }, {}, '"dev" exists with the same spec.'],
  [{ isNew: false, isReady: true }, {}, '"dev" exists with the same spec and is ready.'],
  [
    { isNew: false, isReady: false },
    { desired: 'paused' },
    '"dev" exists with the same spec and is paused.',
  ],
  [{ isNew: true, isReady: true }, HOSTED, '"dev" in namespace "team" is ready.'],
] as const)('says for %j of %j: %s', ([outcome, fields, sentence]) => {
  const [first] = createdLines({ ...outcome, plane: storedPlane('dev', fields) }, 'vplane')

  expect(first).toBe(sentence)
})

test('says how to go on, in words that mean this plane alone', () => {
  const plane = storedPlane('dev', HOSTED)
  const outcome = { plane, isNew: true, isReady: true }

  expect(createdLines(outcome, 'vplane')[1]).toBe(
    'Use it with: vplane connect dev --namespace team -- kubectl get namespaces',
  )
  expect(createdLines({ ...outcome, context: 'vplane_dev' }, 'kubectl vplane')[1]).toBe(
    'The current context is "vplane_dev". Go back with: kubectl vplane disconnect',
  )
})

test('says where the time went', () => {
  const timings = [
    { phase: 'Starting vplane', milliseconds: 80 },
    { phase: 'Waiting for the API', milliseconds: 1200 },
  ]
  const outcome = { plane: storedPlane('dev'), isNew: true, isReady: true, timings }

  expect(createdLines(outcome, 'vplane').at(-1)).toBe(`PHASE                 MS
Starting vplane       80
Waiting for the API   1200
In all                1280`)
})
