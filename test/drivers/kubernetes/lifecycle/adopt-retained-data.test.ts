import { expect, test } from 'vitest'
import { adoptRetainedData } from '../../../../src/drivers/kubernetes/lifecycle/adopt-retained-data.ts'
import { RecordingUi } from '../../../support/recording-ui.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { requestFor } from '../fake-cluster.ts'
import { planeRecordOf } from '../plane-record-of.ts'

const KEPT = planeRecordOf('dev', { desired: 'kept', userSpec: { version: '1.35' } })
const SAME = requestFor('dev', { userSpec: { version: '1.35' } })

test('asks before it creates a plane with the retained data', async () => {
  const ui = new RecordingUi({ answers: [true] })

  await adoptRetainedData(KEPT, SAME, ui)

  expect(ui.questions).toEqual(['"dev" was deleted and its data kept. Create it with this data?'])
})

test('does not ask when the request has the answer', async () => {
  const ui = new RecordingUi()

  await adoptRetainedData(KEPT, { ...SAME, host: { adopt: true } }, ui)

  expect(ui.questions).toEqual([])
})

test('keeps the data after a no', async () => {
  const error = await rejectionOf(
    adoptRetainedData(KEPT, SAME, new RecordingUi({ answers: [false] })),
  )

  expect(error).toMatchObject({
    code: 'ABORTED',
    message: 'the data of "dev" was left as it is',
    hints: ['to delete the data: vplane delete dev'],
  })
})

test('names the flag when vplane cannot ask', async () => {
  const error = await rejectionOf(adoptRetainedData(KEPT, SAME, new RecordingUi()))

  expect(error.message).toContain('--adopt')
})

test('makes no plane of another spec of it', async () => {
  const other = requestFor('dev', { userSpec: { version: '1.36' }, host: { adopt: true } })

  const error = await rejectionOf(adoptRetainedData(KEPT, other, new RecordingUi()))

  expect(error.code).toBe('CONTROL_PLANE_EXISTS')
  expect(error.message).toContain('the data of the deleted plane "dev" has another spec:')
  expect(error.message).toContain('version')
})
