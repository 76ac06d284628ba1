import { expect, test } from 'vitest'
import { processTableOf } from '../../../src/shared/processes/process-table-of.ts'

test.for(['linux', 'darwin'] as const)('knows the processes of %s', (platform) => {
  expect(processTableOf(platform)).toHaveProperty('findByArgument')
})

test('sends users of Windows to WSL 2', () => {
  expect(() => processTableOf('win32')).toThrow(
    expect.objectContaining({
      code: 'UNSUPPORTED',
      message: 'the local driver does not run on "win32"',
      hints: [expect.stringContaining('WSL 2')],
    }),
  )
})
