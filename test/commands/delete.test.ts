import { expect, test } from 'vitest'
import Delete from '../../src/commands/delete.ts'
import { runCommandClass } from '../cli/run-command-class.ts'
import { homeForEachTest } from '../cli/temporary-home.ts'

homeForEachTest()

test.for([
  [[], 'everything in them'],
  [['--keep-data'], 'keep their data'],
  [['--leave-data'], 'leave their data at the server'],
] as const)('asks about several planes with %j what it will do', async ([flags, words]) => {
  const { error } = await runCommandClass(Delete, ['a', 'b', ...flags])

  expect(error).toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(`"Delete 2 control planes (a, b) and ${words}?"`),
  })
})
