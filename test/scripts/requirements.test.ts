import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isSupportedNode } from '../../scripts/test/requirements.ts'
import { packageRoot } from '../../src/shared/package-root.ts'

test.for([
  ['20.20.2', false],
  ['24.14.9', false],
  ['24.15.0', true],
  ['25.1.0', false],
  ['26.0.0', true],
] as const)('Node %s is supported: %s', ([version, isSupported]) => {
  expect(isSupportedNode(version)).toBe(isSupported)
})

test('package.json asks for the same versions of Node', () => {
  const { engines } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'))

  expect(engines.node).toBe('^24.15 || >=26')
})
