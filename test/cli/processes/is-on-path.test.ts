import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { isOnPath } from '../../../src/cli/processes/is-on-path.ts'
import { temporaryHome } from '../temporary-home.ts'

test('finds executable files by name in PATH, and by path', () => {
  using home = temporaryHome()
  const [one, two] = [join(home.root, 'one'), join(home.root, 'two')]
  mkdirSync(one)
  mkdirSync(two)
  writeFileSync(join(two, 'tool'), '')
  const environment = { PATH: [one, '', two].join(delimiter) }

  const before = isOnPath('tool', environment)
  chmodSync(join(two, 'tool'), 0o700)

  expect(before).toBe(false)
  expect(isOnPath('tool', environment)).toBe(true)
  expect(isOnPath(join(two, 'tool'), {})).toBe(true)
  expect(isOnPath('tool', {})).toBe(false)
  expect(isOnPath('two', { PATH: home.root })).toBe(false)
})
