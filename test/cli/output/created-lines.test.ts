import { expect, test } from 'vitest'
import { createdLines } from '../../../src/cli/output/created-lines.ts'
import { storedPlane } from '../../support/driver/some-planes.ts'

const HOSTED = { driver: 'kubernetes', namespace: 'team', hostContext: 'work' } as const
const READY = { isNew: true, isReady: true }

test.for([
  [READY, {}, '"dev" is ready.'],
  [{ isNew: true }, {}, '"dev" is starting.'],
  [{}, {}, '"dev" exists with the same spec.'],
  [{ isReady: true }, {}, '"dev" exists with the same spec and is ready.'],
  [{}, { desired: 'paused' }, '"dev" exists with the same spec and is paused.'],
  [READY, HOSTED, '"dev" in namespace "team" is ready.'],
] as const)('says for %j of %j: %s', ([outcome, fields, sentence]) => {
  const plane = storedPlane('dev', fields)

  const [first] = createdLines({ isNew: false, isReady: false, ...outcome, plane }, 'vplane')

  expect(first).toBe(sentence)
})

test('says how to continue, in words that mean this plane alone', () => {
  const outcome = { plane: storedPlane('dev', HOSTED), ...READY }

  expect(createdLines(outcome, 'vplane')[1]).toBe(
    'Use it with: vplane connect dev --namespace team -- kubectl get namespaces',
  )
  expect(createdLines({ ...outcome, context: 'vplane_dev' }, 'kubectl vplane')[1]).toBe(
    'The current context is "vplane_dev". Go back with: kubectl vplane disconnect',
  )
})

test('says that resume starts a plane that its ControlPlane pauses', () => {
  const plane = storedPlane('dev', { ...HOSTED, declaredBy: 'uid-1', desired: 'paused' })

  expect(createdLines({ plane, isNew: true, isReady: false }, 'vplane')).toEqual([
    '"dev" in namespace "team" is created, and paused. Nothing of it runs until it is resumed.',
    'Start it with: vplane resume dev --namespace team',
  ])
})

test('says where the time went', () => {
  const timings = [
    { phase: 'Starting vplane', milliseconds: 80 },
    { phase: 'Waiting for the API', milliseconds: 1200 },
  ]
  const outcome = { plane: storedPlane('dev'), ...READY, timings }

  expect(createdLines(outcome, 'vplane').at(-1)).toBe(`PHASE                 MS
Starting vplane       80
Waiting for the API   1200
In all                1280`)
})
