import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import {
  holderIdentity,
  isDeadHolder,
} from '../../../../src/drivers/kubernetes/record/holder-identity.ts'

test('tells two operations of one process apart', () => {
  expect(holderIdentity()).not.toBe(holderIdentity())
  expect(holderIdentity()).toContain(`${hostname()}_${process.pid}_`)
})

test('knows that a process of this machine lives, or is gone', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'])
  const ofChild = `${hostname()}_${child.pid}_b7`
  const isDeadBefore = isDeadHolder(ofChild)
  child.kill('SIGKILL')
  await once(child, 'exit')

  expect(isDeadHolder(holderIdentity())).toBe(false)
  expect(isDeadBefore).toBe(false)
  expect(isDeadHolder(ofChild)).toBe(true)
})

test.for(['elsewhere_4194400_b7', 'kubectl', '', '_'])('knows nothing of %j', (identity) => {
  expect(isDeadHolder(identity)).toBe(false)
})
