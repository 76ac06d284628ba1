import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keeperCommand, SUCCESSOR } from '../../../src/compose/launcher/keeper-command.ts'
import { packageRoot } from '../../../src/shared/package-root.ts'

const script = join(packageRoot(), 'bin/vplane.js')
const node = process.execPath

test('starts the keeper of this vplane', () => {
  const { node: program, args } = keeperCommand('/data')

  expect(program).toBe(node)
  expect(args.slice(-3)).toEqual(['keeper', 'run', '/data'])
})

test.for([
  ['vplane', { node, script: '/gone/bin/vplane.js' }],
  ['Node.js', { node: '/gone/node', script }],
] as const)('starts the vplane on PATH when %s is gone', ([, target]) => {
  expect(keeperCommand('/data', { kind: SUCCESSOR, target })).toEqual({
    node: 'vplane',
    args: ['keeper', 'run', '--successor', '/data'],
  })
})
