import { expect, test } from 'vitest'
import { commandAfterDashes } from '../../../src/cli/catalog/command-words.ts'

const VERBATIM = ['sh', '-c', 'a; b', '--', '-n', 'bar', '']

test.for([
  [['dev', '-n', 'x'], ['dev', '-n', 'x'], undefined],
  [['dev', '--', 'kubectl', 'get', 'ns'], ['dev'], ['kubectl', 'get', 'ns']],
  [['--', ...VERBATIM], [], VERBATIM],
  [['dev', '--'], ['dev'], []],
  [[], [], undefined],
] as const)('cuts %j at the first --', ([argv, own, command]) => {
  expect(commandAfterDashes(argv)).toEqual({ own, command })
})

test('leaves the given words alone', () => {
  const argv = Object.freeze(['dev', '--', 'x'])

  expect(() => commandAfterDashes(argv)).not.toThrow()
})
