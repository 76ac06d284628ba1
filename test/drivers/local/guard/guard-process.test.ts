import { expect, test } from 'vitest'
import { startGuardProcess } from '../../../../src/drivers/local/guard/guard-process.ts'
import { createRecorder } from './recorder.ts'

test('hands over the last complete line when its owner dies in the middle of one', async () => {
  using recorder = createRecorder()
  const guard = await startGuardProcess(recorder.program)

  await guard.write('"first"\n')
  await guard.write('"second"\n')
  await guard.write('"cut of')
  await guard.end('')

  expect(recorder.recorded()).toBe('second')
})

test.for([
  ['backslashes and percent signs', 'a\\n%s%d\\'],
  ['what a shell would run', '$(exit 1) `exit 1` ; exit 1 "\' * ~'],
  ['spaces at both ends', '  a  '],
  ['other letters', 'ä€🚀'],
  ['two hundred planes', 'x'.repeat(20_000)],
])('hands over %s as they are', async ([, text]) => {
  using recorder = createRecorder()
  const guard = await startGuardProcess(recorder.program)

  await guard.end(`${JSON.stringify(text)}\n`)

  expect(recorder.recorded()).toBe(text)
})

test('says so when a line is written after its end', async () => {
  using recorder = createRecorder()
  const guard = await startGuardProcess(recorder.program)
  process.kill(guard.processId, 'SIGKILL')
  await guard.end('')

  const writing = guard.write('"late"\n')

  await expect(writing).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('the guard that removes planes with this process ended'),
  })
})

test('can be ended twice', async () => {
  using recorder = createRecorder()
  const guard = await startGuardProcess(recorder.program)

  await guard.end('"once"\n')
  await guard.end('"twice"\n')

  expect(recorder.recorded()).toBe('once')
})
