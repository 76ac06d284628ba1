import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { saveSetting } from '../../../src/cli/settings/save-setting.ts'
import { loadSettings } from '../../../src/cli/settings/settings.ts'
import { temporaryHome } from '../temporary-home.ts'

test('makes the file for its owner alone, and writes what is read again', async () => {
  using home = temporaryHome()
  const file = join(home.root, 'config', 'config.yaml')

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
  using home = temporaryHome()
  const text = '# mine\ndriver: local # for now\n\n# slow machine\ntimeout: 5m\n'
  const file = home.write('config/config.yaml', text)

  const saved = await saveSetting(file, 'timeout', '10m')

  expect(saved).toEqual({ key: 'timeout', value: '10m' })
  expect(readFileSync(file, 'utf8')).toBe(text.replace('5m', '10m'))
})

test('quotes a version, so that it stays text', async () => {
  using home = temporaryHome()
  const file = join(home.root, 'config', 'config.yaml')

  await saveSetting(file, 'version', '1.35')

  expect(await loadSettings(home.environment)).toMatchObject({ version: '1.35' })
})

test('writes through a symbolic link', async () => {
  using home = temporaryHome()
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
  using home = temporaryHome()
  const file = join(home.root, 'config', 'config.yaml')

  await expect(saveSetting(file, key, value)).rejects.toMatchObject({ code })
  expect(existsSync(file)).toBe(false)
})

test.for(['driver: [', 'unknown: 1\n', 'formatVersion: 9\n', '- a\n'])(
  'leaves a file that it cannot read alone: %j',
  async (text) => {
    using home = temporaryHome()
    const file = home.write('config/config.yaml', text)

    await expect(saveSetting(file, 'driver', 'local')).rejects.toMatchObject({
      code: 'INVALID_SPEC',
    })
    expect(readFileSync(file, 'utf8')).toBe(text)
  },
)
