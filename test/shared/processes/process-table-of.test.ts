import { expect, test } from 'vitest'
import { processTableOf } from '../../../src/shared/processes/process-table-of.ts'

test.for(['linux', 'darwin', 'win32'] as const)('knows the processes of %s', (platform) => {
  expect(processTableOf(platform)).toHaveProperty('findByCommand')
})

test('names an unknown platform', () => {
  expect(() => processTableOf('aix')).toThrow(
    expect.objectContaining({ code: 'UNSUPPORTED', message: 'vplane does not run on "aix"' }),
  )
})
