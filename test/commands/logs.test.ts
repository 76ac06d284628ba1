import { expect, test } from 'vitest'
import Logs from '../../src/commands/logs.ts'
import { runCommandClass } from '../cli/run-command-class.ts'
import { homeForEachTest } from '../cli/temporary-home.ts'

homeForEachTest()

test.for([
  ['--since 90', '"90" is not a duration: the unit is missing', '90s, 90m or 90h'],
  ['--since yesterday', '"yesterday" is not a duration', 'such as 90s, 5m or 1h30m'],
  ['5m', '"5m" is a duration, not a component', '--since 5m'],
  ['--since-time 5m', '"5m" is not a time', 'such as 2026-06-01T12:00:00Z'],
] as const)('refuses %s with an example', async ([words, message, hint]) => {
  const { error } = await runCommandClass(Logs, ['dev', ...words.split(' ')])

  expect(error).toMatchObject({ code: 'USAGE', message: expect.stringContaining(message) })
  expect(error).toMatchObject({ hints: expect.arrayContaining([hint]) })
})
