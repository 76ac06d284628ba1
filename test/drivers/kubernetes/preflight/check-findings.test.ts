import { expect, test } from 'vitest'
import type { Finding } from '../../../../src/control-plane/status/finding.ts'
import { checkFindings } from '../../../../src/drivers/kubernetes/preflight/check-findings.ts'
import { RecordingUi } from '../../../support/driver/recording-ui.ts'
import { thrownBy } from '../../../support/thrown-by.ts'

const REFUSAL = '"dev" cannot be created in namespace "team-a", nothing was changed:'
const FINE: Finding = { subject: 'version', level: 'ok', message: 'Kubernetes 1.36' }
const WARNING: Finding = { subject: 'pods', level: 'warning', message: 'a level nobody knows' }

test('shows warnings, and nothing without findings', () => {
  const ui = new RecordingUi()

  checkFindings([FINE, WARNING], { refusal: REFUSAL, ui })

  expect(ui.warnings).toEqual(['a level nobody knows'])
})

test('reports all problems together, with what to do about each', () => {
  const quota: Finding = {
    subject: 'quota',
    level: 'problem',
    message: 'pods: 3 needed, 1 left',
    hint: 'kubectl edit quota',
  }
  const storage: Finding = { subject: 'storage', level: 'problem', message: 'no StorageClass' }

  const error = thrownBy(() =>
    checkFindings([FINE, quota, storage], { refusal: REFUSAL, ui: new RecordingUi() }),
  )

  expect(error.code).toBe('FAILED')
  expect(error.message.split('\n')).toEqual([
    '"dev" cannot be created in namespace "team-a", nothing was changed:',
    '  quota: pods: 3 needed, 1 left',
    '  storage: no StorageClass',
  ])
  expect(error.hints).toEqual(['kubectl edit quota'])
})
