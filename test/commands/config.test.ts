import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import ConfigGet from '../../src/commands/config/get.ts'
import ConfigList from '../../src/commands/config/list.ts'
import ConfigSet from '../../src/commands/config/set.ts'
import ConfigUnset from '../../src/commands/config/unset.ts'
import { SETTING_KEYS } from '../../src/cli/settings/setting-keys.ts'
import { runCommandClass } from '../cli/run-command-class.ts'
import { homeForEachTest } from '../cli/temporary-home.ts'

const home = homeForEachTest()

const configFile = () => join(home.root, 'config', 'config.yaml')

test('sets a value, and gets it back', async () => {
  const file = configFile()

  const set = await runCommandClass(ConfigSet, ['timeout', '90s'])
  const get = await runCommandClass(ConfigGet, ['timeout'])

  expect(set.stdout).toBe(`timeout is 90s in ${file}.\n`)
  expect(set.result).toEqual({ key: 'timeout', value: '90s', file })
  expect(get.stdout).toBe('90s\n')
  expect(readFileSync(file, 'utf8')).toMatch(/^timeout: 90s$/m)
})

test('warns when a variable wins over what is set, or still sets what is removed', async () => {
  vi.stubEnv('VPLANE_DRIVER', 'kubernetes')

  const set = await runCommandClass(ConfigSet, ['driver', 'local'])
  const unset = await runCommandClass(ConfigUnset, ['driver'])

  expect(set.stderr).toBe('warning: VPLANE_DRIVER is set and wins over the file\n')
  expect(unset.stderr).toBe('warning: VPLANE_DRIVER is set and still applies\n')
})

test('removes a setting, and says when there is none', async () => {
  const file = home.write('config/config.yaml', '# mine\ndriver: local\n')

  const first = await runCommandClass(ConfigUnset, ['driver'])
  const second = await runCommandClass(ConfigUnset, ['driver'])

  expect(first).toEqual({
    stdout: `Removed driver from ${file}.\n`,
    stderr: '',
    result: { key: 'driver', removed: true, file },
  })
  expect(second.stdout).toBe(`driver is not set in ${file}.\n`)
  expect(second.result).toEqual({ key: 'driver', removed: false, file })
  expect(readFileSync(file, 'utf8')).toBe('# mine\n')
})

test.for([
  [['driver', 'docker'], 'INVALID_SPEC'],
  [['nosuch', 'x'], 'USAGE'],
  [['driver'], 'USAGE'],
] as const)('refuses to set %j and writes nothing', async ([argv, code]) => {
  const { error } = await runCommandClass(ConfigSet, argv)

  expect(error).toMatchObject({ code, oclif: { exit: 2 } })
  expect(existsSync(configFile())).toBe(false)
})

test('prints nothing for a setting without a value, but tells scripts', async () => {
  const { stdout } = await runCommandClass(ConfigGet, ['driver'])
  const json = await runCommandClass(ConfigGet, ['driver', '--json'])

  expect(stdout).toBe('')
  expect(JSON.parse(json.stdout)).toEqual({ key: 'driver', value: null, source: null })
})

test('refuses to get what is no setting, with the one that was meant', async () => {
  const { error } = await runCommandClass(ConfigGet, ['drivr'])

  expect(error).toMatchObject({
    code: 'USAGE',
    message: 'there is no setting "drivr"',
    hints: expect.arrayContaining(['did you mean driver?']),
  })
})

test('lists all settings with value and source', async () => {
  const file = home.write('config/config.yaml', 'driver: local\n')
  vi.stubEnv('VPLANE_WAIT', 'false')

  const { stdout, result } = await runCommandClass(ConfigList, [])

  expect(stdout).toMatch(/^KEY +VALUE +SOURCE\n/)
  expect(stdout).toContain(`local    ${file}\n`)
  expect(stdout).toMatch(/^wait +false +VPLANE_WAIT$/m)
  expect(stdout).toMatch(/^timeout +5m +built-in$/m)
  expect(stdout).toMatch(/^namespace +- +-$/m)
  expect(result?.file).toBe(file)
})

test('lists them for scripts', async () => {
  const { stdout } = await runCommandClass(ConfigList, ['--json'])

  const { items } = JSON.parse(stdout)
  expect(items).toHaveLength(SETTING_KEYS.length)
  expect(items[0]).toEqual({ key: 'driver', value: null, source: null })
})
