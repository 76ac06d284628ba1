import { expect, test } from 'vitest'
import { uninstalledLines } from '../../../src/cli/results/operator-result.ts'

const REMOVED = { namespace: 'vplane-system', released: [], helmRelease: null }

test.for([
  ['no planes', [], 'Removed the operator. It had no planes.'],
  ['planes', ['a/dev', 'b/dev'], 'Removed the operator. Its planes stay: a/dev, b/dev.'],
] as const)('reports the end of an operator with %s', ([, released, line]) => {
  expect(uninstalledLines({ ...REMOVED, released: [...released] })).toEqual([line])
})

test('names the command that removes the release of a stopped operator', () => {
  expect(uninstalledLines({ ...REMOVED, helmRelease: 'ops' })).toEqual([
    'Stopped the operator. It had no planes.',
    'Remove it: helm uninstall ops --namespace vplane-system',
  ])
})
