import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { createGuard } from '../../../../src/drivers/local/guard/create-guard.ts'
import {
  removalProgram,
  startGuardProcess,
} from '../../../../src/drivers/local/guard/guard-process.ts'
import { test } from './recorder.ts'
import { storePlane, test as storeTest } from './stored-plane.ts'

test('passes on the last complete line of an owner that died', async ({ recorder }) => {
  const guard = await startGuardProcess(recorder.program)

  await guard.write('"first"\n')
  await guard.write('"second"\n')
  await guard.write('"incompl')
  await guard.end('')

  expect(recorder.recorded()).toBe('second')
})

test.for([
  ['backslashes and percent signs', 'a\\n%s%d\\'],
  ['commands of a shell', '$(exit 1) `exit 1` ; exit 1 "\' * ~'],
  ['spaces at both ends', '  a  '],
  ['non-ASCII characters', 'ä€🚀'],
  ['two hundred planes', 'x'.repeat(20_000)],
])('passes on %s unchanged', async ([, text], { recorder }) => {
  const guard = await startGuardProcess(recorder.program)

  await guard.end(`${JSON.stringify(text)}\n`)

  expect(recorder.recorded()).toBe(text)
})

test('rejects a line after its end', async ({ recorder }) => {
  const guard = await startGuardProcess(recorder.program)
  process.kill(guard.processId, 'SIGKILL')
  await guard.end('')

  const writing = guard.write('"late"\n')

  await expect(writing).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('the guard that removes planes with this process ended'),
  })
})

test('can be ended twice', async ({ recorder }) => {
  const guard = await startGuardProcess(recorder.program)

  await guard.end('"once"\n')
  await guard.end('"twice"\n')

  expect(recorder.recorded()).toBe('once')
})

test('runs TypeScript in a checkout', () => {
  const [node, script = ''] = removalProgram()

  expect(node).toBe(process.execPath)
  expect(script).toMatch(/src\/drivers\/local\/guard\/remove-protected-main\.ts$/)
  expect(existsSync(script)).toBe(true)
})

test('runs JavaScript in the package', () => {
  const [, script] = removalProgram('file:///somewhere/vplane/dist/chunks/create-guard-ABC.js')

  expect(script).toMatch(/dist\/drivers\/local\/guard\/remove-protected-main\.js$/)
})

storeTest('runs the program that removes planes by default', async ({ root, store }) => {
  await storePlane(store, 'a', { processId: process.pid, startTime: '1' })
  await storePlane(store, 'b', { processId: process.pid, startTime: '1' })
  const guard = createGuard()

  await guard.protect(root, 'a')
  await guard[Symbol.asyncDispose]()

  expect(await store.list()).toMatchObject([{ name: 'b' }])
})
