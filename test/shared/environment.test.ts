import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { processEnvironment } from '../../src/shared/environment.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

test.for([
  ['relative', 'own/folder', join(process.cwd(), 'own/folder')],
  ['absolute', '/own/folder', '/own/folder'],
  ['empty', '', ''],
])('is absolute in the variables when VPLANE_HOME is %s', ([, home, expected]) => {
  vi.stubEnv('VPLANE_HOME', home)

  expect(processEnvironment()['VPLANE_HOME']).toBe(expected)
})
