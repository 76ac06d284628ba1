import { expect, test } from 'vitest'
import type { BackupStatus } from '../../../src/control-plane/status/backup-status.ts'
import type { Plane } from '../../../src/control-plane/plane/plane.ts'
import { planesText } from '../../../src/cli/output/planes-text.ts'
import { RecordingUi } from '../../support/driver/recording-ui.ts'
import { hoursFromNoon, listed, NOON, storedPlane } from '../../support/driver/some-planes.ts'

/** In a pipe at noon. */
const OPTIONS = { bin: 'vplane', now: NOON, width: undefined }

test.for([
  [24 * 31, []],
  [24 * 29, ['a certificate of "dev" expires in 29d: vplane certs check dev']],
  [-1, ['a certificate of "dev" has expired: vplane certs check dev']],
] as const)('warns of certificates that end in %s hours with %j', ([hours, warnings]) => {
  const ui = new RecordingUi()
  const plane = listed(storedPlane('dev'), { certificatesExpireAt: hoursFromNoon(hours) })

  planesText([plane], { ...OPTIONS, ui })

  expect(ui.warnings).toEqual(warnings)
})

test.for<[string, Partial<Plane>, BackupStatus, string[]]>([
  ['is well', {}, { nextAt: hoursFromNoon(1) }, []],
  [
    'failed',
    {},
    { failure: { at: NOON, reason: 'no such bucket', count: 1 } },
    ['the backup of "dev" failed: no such bucket: vplane describe dev'],
  ],
  [
    'is overdue',
    {},
    { nextAt: hoursFromNoon(-1) },
    ['the backup of "dev" is overdue: its keeper does not work: vplane describe dev'],
  ],
  ['waits for a plane that rests', { desired: 'paused' }, { nextAt: hoursFromNoon(-1) }, []],
])('warns of a backup that %s or not', ([, fields, backup, warnings]) => {
  const ui = new RecordingUi()

  planesText([listed(storedPlane('dev', fields), { backup })], { ...OPTIONS, ui })

  expect(ui.warnings).toEqual(warnings)
})

test.for([
  [{ namespace: 'nope' }, ' in namespace "nope"'],
  [{ isSelective: true }, ' with these labels'],
  [{ namespace: 'nope', isSelective: true }, ' in namespace "nope" with these labels'],
] as const)('says where there are no planes: %j', ([options, which]) => {
  const ui = new RecordingUi()

  planesText([], { ...OPTIONS, ui, ...options })

  expect(ui.notes).toEqual([`There are no control planes${which}: vplane list shows all.`])
})

test('says how to make a plane where there is none', () => {
  const ui = new RecordingUi()

  expect(planesText([], { ...OPTIONS, ui })).toBeUndefined()
  expect(ui.notes).toEqual(['There are no control planes: vplane create NAME creates one.'])
})
