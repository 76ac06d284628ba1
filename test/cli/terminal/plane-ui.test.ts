import { expect, test } from 'vitest'
import { planeUi } from '../../../src/cli/terminal/plane-ui.ts'
import { RecordingUi } from '../../support/driver/recording-ui.ts'

test('shows only warnings of one of several planes, with its name', () => {
  const ui = new RecordingUi()
  const one = planeUi(ui, 'team/dev')

  one.step('Stopping etcd')
  one.progress('1 of 3')
  one.note('it was stopped')
  one.warn('its pods were lost', { action: 'describe', plane: { name: 'dev' } })

  expect([ui.steps, ui.details, ui.notes]).toEqual([[], [], []])
  expect(ui.warnings).toEqual(['team/dev: its pods were lost; vplane describe dev'])
  expect(one.lines).toEqual([])
})

test('keeps the lines of a result, and the plan of a dry run', () => {
  const one = planeUi(new RecordingUi(), 'dev')

  one.plan([{ action: 'stop-components' }], 'note')
  one.plan([{ action: 'stop-components' }], 'result')
  one.print('What differs:')

  expect(one.lines).toEqual(['Steps:', '  1. stop its components', 'What differs:'])
})
