import { expect, test } from 'vitest'
import type { Finding } from '../../../../src/control-plane/status/finding.ts'
import { checkHost } from '../../../../src/drivers/kubernetes/lifecycle/check-host.ts'
import { RecordingUi } from '../../../support/recording-ui.ts'
import { thrownBy } from '../../../support/thrown-by.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const FINE: Finding = { subject: 'version', level: 'ok', message: 'Kubernetes 1.36' }
const WARNING: Finding = { subject: 'pods', level: 'warning', message: 'a level nobody knows' }

test('says nothing of what is fine, and warns of what may become a problem', () => {
  const ui = new RecordingUi()

  checkHost(PLACE, [FINE, WARNING], ui)

  expect(ui.warnings).toEqual(['a level nobody knows'])
})

test('tells all problems at once, with what to do about each', () => {
  const quota: Finding = {
    subject: 'quota',
    level: 'problem',
    message: 'pods: 3 needed, 1 left',
    hint: 'kubectl edit quota',
  }
  const storage: Finding = { subject: 'storage', level: 'problem', message: 'no StorageClass' }

  const error = thrownBy(() => checkHost(PLACE, [FINE, quota, storage], new RecordingUi()))

  expect(error.code).toBe('FAILED')
  expect(error.message.split('\n')).toEqual([
    '"dev" cannot be created in namespace "team-a", nothing was changed:',
    '  quota: pods: 3 needed, 1 left',
    '  storage: no StorageClass',
  ])
  expect(error.hints).toEqual(['kubectl edit quota'])
})
