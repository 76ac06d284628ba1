import { expect, test } from 'vitest'
import { useNamespace, usePlane } from '../../src/library/vitest.ts'

test.for([
  ['usePlane', usePlane],
  ['useNamespace', useNamespace],
] as const)('%s reports what is missing in a run without a plane', async ([, use]) => {
  await expect(use()).rejects.toMatchObject({
    code: 'USAGE',
    message: 'this run has no control plane',
    hints: [expect.stringContaining("globalSetup: ['vplane/vitest']")],
  })
})
