import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { removeSetting } from '../../../src/cli/settings/remove-setting.ts'
import { temporaryHome } from '../temporary-home.ts'

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
  using home = temporaryHome()
  const file = home.write('config/config.yaml', text)

  expect(await removeSetting(file, 'driver')).toBe(true)

  expect(readFileSync(file, 'utf8')).toBe(rest)
  expect(await removeSetting(file, 'driver')).toBe(false)
  expect(readFileSync(file, 'utf8')).toBe(rest)
})

test('creates no file', async () => {
  using home = temporaryHome()
  const file = join(home.root, 'config', 'config.yaml')

  expect(await removeSetting(file, 'driver')).toBe(false)
  expect(existsSync(file)).toBe(false)
})

test('removes a key that this vplane does not know, if the file has it', async () => {
  using home = temporaryHome()
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
  using home = temporaryHome()
  const file = home.write('config/config.yaml', text)

  await expect(removeSetting(file, key)).rejects.toMatchObject({ code })
  expect(readFileSync(file, 'utf8')).toBe(text)
})
