import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { holderIdentity, isDeadHolder } from '../../../src/shared/processes/holder-identity.ts'

test('distinguishes two operations of one process', () => {
  expect(holderIdentity()).not.toBe(holderIdentity())
  expect(holderIdentity()).toMatch(new RegExp(`^${hostname()}_.*_?${process.pid}_`))
})

test('checks whether a process of this machine lives', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'])
  const ofChild = holderIdentity().replace(`_${process.pid}_`, `_${child.pid}_`)
  const isDeadBefore = isDeadHolder(ofChild)
  child.kill('SIGKILL')
  await once(child, 'exit')

  expect(isDeadHolder(holderIdentity())).toBe(false)
  expect(isDeadBefore).toBe(false)
  expect(isDeadHolder(ofChild)).toBe(true)
})

test.for([
  'elsewhere_4194400_b7',
  // Another machine, or a container, with this host name.
  `${hostname()}_4194400_b7`,
  `${hostname()}_0123456789ab_4194400_b7`,
  'kubectl',
  '',
  '_',
])('treats %j as alive', (identity) => {
  expect(isDeadHolder(identity)).toBe(false)
})
