import { expect, test } from 'vitest'
import { TimedUi } from '../../../src/cli/terminal/timings.ts'
import { RecordingUi } from '../../support/driver/recording-ui.ts'

test('says how long each step took, also before the first one and up to now', () => {
  const clock = { now: 80 }
  const timed = new TimedUi(new RecordingUi(), () => clock.now)

  timed.step('Making')
  clock.now = 1080.4
  timed.step('Waiting')
  clock.now = 1100

  expect(timed.timings()).toEqual([
    { phase: 'Starting vplane', milliseconds: 80 },
    { phase: 'Making', milliseconds: 1000 },
    { phase: 'Waiting', milliseconds: 20 },
  ])
})

test('hands everything on', async () => {
  const ui = new RecordingUi({ answers: [true] })
  const timed = new TimedUi(ui)

  timed.step('Making')
  timed.progress('half of it')
  timed.failStep()
  timed.warn('slow')
  timed.note('here')

  expect(await timed.confirm('Sure?', { option: 'yes' })).toBe(true)
  expect(ui).toMatchObject({
    steps: ['Making'],
    failedSteps: ['Making'],
    details: ['half of it'],
    warnings: ['slow'],
    notes: ['here'],
    questions: ['Sure?'],
  })
})

test('counts from the start of the process', () => {
  const [first] = new TimedUi(new RecordingUi()).timings()

  expect(first?.milliseconds).toBeGreaterThan(0)
})
