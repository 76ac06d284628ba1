import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { removeSetting, saveSetting } from '../../../src/cli/settings/change-setting.ts'
import { loadSettings } from '../../../src/cli/settings/settings.ts'
import { homeForEachTest } from '../temporary-home.ts'

const home = homeForEachTest()

const configFile = () => join(home.root, 'config', 'config.yaml')

test('makes the file for its owner alone, and writes what is read again', async () => {
  const file = configFile()

  await saveSetting(file, 'driver', 'local')
  await saveSetting(file, 'wait', 'off')
  await saveSetting(file, 'timeout', '90s')

  expect(await loadSettings(home.environment)).toMatchObject({
    driver: 'local',
    wait: false,
    timeoutMs: 90_000,
  })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(home.root, 'config')).mode & 0o777).toBe(0o700)
  expect(readFileSync(file, 'utf8')).toContain('formatVersion: 1')
})

test('keeps comments, order and the other settings', async () => {
  const text = '# mine\ndriver: local # for now\n\n# slow machine\ntimeout: 5m\n'
  const file = home.write('config/config.yaml', text)

  const saved = await saveSetting(file, 'timeout', '10m')

  expect(saved).toEqual({ key: 'timeout', value: '10m' })
  expect(readFileSync(file, 'utf8')).toBe(text.replace('5m', '10m'))
})

test('quotes a version, so that it stays text', async () => {
  const file = configFile()

  await saveSetting(file, 'version', '1.35')

  expect(await loadSettings(home.environment)).toMatchObject({ version: '1.35' })
})

test('writes through a symbolic link', async () => {
  const target = home.write('dotfiles/vplane.yaml', 'driver: local\n')
  const link = join(home.root, 'link.yaml')
  symlinkSync(target, link)

  await saveSetting(link, 'driver', 'kubernetes')

  expect(readFileSync(target, 'utf8')).toBe('driver: kubernetes\n')
})

test.for([
  ['driver', 'docker', 'INVALID_SPEC'],
  ['timeout', '90', 'INVALID_SPEC'],
  ['drivr', 'local', 'USAGE'],
  ['formatVersion', '2', 'USAGE'],
  ['__proto__', 'x', 'USAGE'],
] as const)('refuses %s = %s and writes nothing', async ([key, value, code]) => {
  const file = configFile()

  await expect(saveSetting(file, key, value)).rejects.toMatchObject({ code })
  expect(existsSync(file)).toBe(false)
})

test.for(['driver: [', 'unknown: 1\n', 'formatVersion: 9\n', '- a\n'])(
  'leaves a file that it cannot read alone: %j',
  async (text) => {
    const file = home.write('config/config.yaml', text)

    await expect(saveSetting(file, 'driver', 'local')).rejects.toMatchObject({
      code: 'INVALID_SPEC',
    })
    expect(readFileSync(file, 'utf8')).toBe(text)
  },
)

test.for([
  ['driver: local\n', ''],
  [
    '# mine\n\ndriver:   local # for now\n\n# slow\ntimeout: "5m"\n',
    '# mine\n\n\n# slow\ntimeout: "5m"\n',
  ],
  ['timeout: 5m\r\ndriver: local\r\nwait: true\r\n', 'timeout: 5m\r\nwait: true\r\n'],
  ['wait: true\ndriver: local', 'wait: true\n'],
  ['driver:\nwait:   true\n', 'wait:   true\n'],
  ['driver: |\n  local\nwait: true\n', 'wait: true\n'],
  ['driver: >-\n  lo\n\n  cal\n\n# next\nwait: true\n', '\n# next\nwait: true\n'],
  ["'driver': [local,\n  other]\nwait: true\n", 'wait: true\n'],
  ['---\ndriver: local\n...\n', '---\n...\n'],
  ['{driver: local, wait: true}\n', '{wait: true}\n'],
  ['{"wait": true, "driver": "local"}', '{"wait": true}'],
  ['{\n  "driver": "local",\n  "wait": true\n}\n', '{\n  "wait": true\n}\n'],
  ['{driver: local}', '{}'],
  ['nosuch: 1\ndriver: docker\n', 'nosuch: 1\n'],
] as const)('removes the setting from %j, and changes nothing else', async ([text, rest]) => {
  const file = home.write('config/config.yaml', text)

  expect(await removeSetting(file, 'driver')).toBe(true)

  expect(readFileSync(file, 'utf8')).toBe(rest)
  expect(await removeSetting(file, 'driver')).toBe(false)
  expect(readFileSync(file, 'utf8')).toBe(rest)
})

test('creates no file', async () => {
  const file = configFile()

  expect(await removeSetting(file, 'driver')).toBe(false)
  expect(existsSync(file)).toBe(false)
})

test('removes a key that this vplane does not know, if the file has it', async () => {
  const file = home.write('config/config.yaml', 'drivr: local\nwait: true\n')

  expect(await removeSetting(file, 'drivr')).toBe(true)
  expect(readFileSync(file, 'utf8')).toBe('wait: true\n')
  await expect(removeSetting(file, 'drivr')).rejects.toMatchObject({
    code: 'USAGE',
    hints: expect.arrayContaining(['did you mean driver?']),
  })
})

test.for([
  ['formatVersion: 1\n', 'formatVersion', 'USAGE'],
  ['driver: [\n', 'driver', 'INVALID_SPEC'],
  ['- driver\n', 'driver', 'INVALID_SPEC'],
] as const)('leaves %j alone when %s is to be removed', async ([text, key, code]) => {
  const file = home.write('config/config.yaml', text)

  await expect(removeSetting(file, key)).rejects.toMatchObject({ code })
  expect(readFileSync(file, 'utf8')).toBe(text)
})
