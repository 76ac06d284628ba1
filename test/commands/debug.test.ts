import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import Debug from '../../src/commands/debug.ts'
import { runCommandClass } from '../cli/run-command-class.ts'
import { homeForEachTest } from '../cli/temporary-home.ts'

const home = homeForEachTest()

test('keeps a file that exists, before it looks for the plane, unless it is forced', async () => {
  const file = home.write('debug.tar.gz', 'precious')

  const refused = await runCommandClass(Debug, ['nobody', '--output', file])
  const forced = await runCommandClass(Debug, ['nobody', '--output', file, '--force'])

  expect(refused.error).toMatchObject({ code: 'CONFLICT', message: `"${file}" exists` })
  expect(forced.error).toMatchObject({ code: 'CONTROL_PLANE_NOT_FOUND' })
  expect(readFileSync(file, 'utf8')).toBe('precious')
})
