import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createGuard } from '../../../../src/drivers/local/guard/create-guard.ts'
import { removalProgram } from '../../../../src/drivers/local/guard/guard-command.ts'
import { storePlane, temporaryStore } from './stored-plane.ts'

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

test('removes planes by the program it runs unless told otherwise', async () => {
  using place = temporaryStore()
  const { root, store } = place
  await storePlane(store, 'a', { processId: process.pid, startTime: '1' })
  await storePlane(store, 'b', { processId: process.pid, startTime: '1' })
  const guard = createGuard()

  await guard.protect(root, 'a')
  await guard[Symbol.asyncDispose]()

  expect(await store.list()).toMatchObject([{ name: 'b' }])
})
