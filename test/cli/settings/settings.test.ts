import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { variableOf } from '../../../src/cli/settings/setting-keys.ts'
import {
  configFileOf,
  listSettings,
  loadSettings,
  readSettingLayers,
  withFileSettings,
} from '../../../src/cli/settings/settings.ts'
import { homeForEachTest } from '../temporary-home.ts'

const home = homeForEachTest()

test('takes what is built in when nothing is said', async () => {
  const settings = await loadSettings(home.environment)

  expect(settings).toEqual({ version: '1.36.3', timeoutMs: 300_000, offline: false, wait: true })
  expect(existsSync(join(home.root, 'config'))).toBe(false)
})

test('lets the file win over what is built in, and variables over the file', async () => {
  home.write(
    'config/config.yaml',
    'formatVersion: 1\ndriver: local\ntimeout: 90s\nwait: false\nbinDir: /opt/kube\nmirror: https://mirror.example\n',
  )

  const settings = await loadSettings({
    ...home.environment,
    VPLANE_TIMEOUT: '2m',
    VPLANE_WAIT: '1',
    VPLANE_NAMESPACE: 'team-a',
    VPLANE_CONNECT: 'no',
  })

  expect(settings).toEqual({
    driver: 'local',
    version: '1.36.3',
    timeoutMs: 120_000,
    namespace: 'team-a',
    binDir: '/opt/kube',
    mirror: 'https://mirror.example',
    offline: false,
    connect: false,
    wait: true,
  })
})

test('has defaults of a user for planes in host clusters', async () => {
  home.write('config/config.yaml', 'hostContext: work\nstorageClass: fast\n')

  const settings = await loadSettings({
    ...home.environment,
    VPLANE_PRESET: 'small',
    VPLANE_IMAGE_REGISTRY: 'mirror.example.com:5000/k8s',
    VPLANE_HELPER_IMAGE: 'mirror.example.com/node:24',
    VPLANE_STORAGE_CLASS: 'faster',
  })

  expect(settings).toMatchObject({
    hostContext: 'work',
    storageClass: 'faster',
    preset: 'small',
    imageRegistry: 'mirror.example.com:5000/k8s',
    helperImage: 'mirror.example.com/node:24',
  })
})

test('ignores an empty variable', async () => {
  const empty = { VPLANE_DRIVER: '', VPLANE_TIMEOUT: '' }

  const settings = await loadSettings({ ...home.environment, ...empty })

  expect(settings).toMatchObject({ timeoutMs: 300_000 })
  expect(settings.driver).toBeUndefined()
})

test.for(['', '# nothing\n', '{}', 'formatVersion: 1\n'])(
  'takes the file %j for no settings',
  async (text) => {
    home.write('config/config.yaml', text)

    await expect(loadSettings(home.environment)).resolves.toMatchObject({ version: '1.36.3' })
  },
)

test('makes a relative path in a variable absolute', async () => {
  const { binDir } = await loadSettings({ VPLANE_HOME: '/nonexistent', VPLANE_BIN_DIR: 'bin' })

  expect(binDir).toBe(join(process.cwd(), 'bin'))
})

test.for([
  ['driver: docker', '"driver" in "FILE" cannot be "docker": it must be kubernetes or local'],
  ['timeout: 90', '"timeout" in "FILE" cannot be 90: it must be text; put it in quotes'],
  [
    'timeout: soon',
    '"timeout" in "FILE" cannot be "soon": "soon" is not a duration; such as 90s, 5m or 1h30m',
  ],
  ['version: 1.30', '"version" in "FILE" cannot be 1.3: it must be text; put it in quotes'],
  ['wait: "yes"', '"wait" in "FILE" cannot be "yes": it must be true or false'],
  [
    'namespace: Team_A',
    '"namespace" in "FILE" cannot be "Team_A": it must be the name of a namespace',
  ],
  ['binDir: bin', '"binDir" in "FILE" cannot be "bin": it must be an absolute path'],
  [
    'mirror: file:///etc',
    '"mirror" in "FILE" cannot be "file:///etc": it must be an http or https URL',
  ],
  ['drivr: local', 'unknown setting "drivr" in "FILE"'],
  ['constructor: 1', 'unknown setting "constructor" in "FILE"'],
  ['- driver', '"FILE" does not contain settings'],
  ['formatVersion: 2', '"FILE" has format 2, and this vplane reads up to 1'],
  ['formatVersion: "1"', '"FILE" has format "1", and this vplane reads up to 1'],
] as const)('refuses "%s" in the file', async ([text, message]) => {
  const file = home.write('config/config.yaml', text)

  await expect(loadSettings(home.environment)).rejects.toMatchObject({
    code: 'INVALID_SPEC',
    message: message.replace('FILE', file),
  })
})

test('says line and column when the file is not YAML', async () => {
  const file = home.write('config/config.yaml', 'driver: [local\n')

  await expect(loadSettings(home.environment)).rejects.toMatchObject({
    code: 'INVALID_SPEC',
    message: expect.stringMatching(/at line \d+, column \d+/),
  })
  await expect(loadSettings(home.environment)).rejects.toThrow(file)
})

test.for([
  ['VPLANE_DRIVER', 'docker', 'it must be kubernetes or local'],
  ['VPLANE_WAIT', 'maybe', 'it must be true or false'],
  ['VPLANE_VERSION', '1.2', '"1.2" is not a minor that vplane knows'],
  ['VPLANE_PRESET', 'huge', 'it must be nano, small or ha'],
  ['VPLANE_STORAGE_CLASS', 'Fast!', 'it must be the name of a StorageClass'],
  ['VPLANE_IMAGE_REGISTRY', 'https://mirror', 'it must be a registry'],
] as const)('refuses %s=%s by its name', async ([variable, value, reason]) => {
  const settings = loadSettings({ VPLANE_HOME: '/nonexistent', [variable]: value })

  await expect(settings).rejects.toMatchObject({
    code: 'INVALID_SPEC',
    message: expect.stringContaining(`the variable ${variable} cannot be "${value}": ${reason}`),
  })
})

test('hints at the key that was meant', async () => {
  home.write('config/config.yaml', 'timout: 90s')

  await expect(loadSettings(home.environment)).rejects.toMatchObject({
    hints: expect.arrayContaining(['did you mean timeout?']),
  })
})

test('lists every setting with its value and where it comes from', async () => {
  home.write('config/config.yaml', 'driver: local\ntimeout: 90s\n')

  const entries = await listSettings({ ...home.environment, VPLANE_TIMEOUT: '2m' })

  expect(entries.slice(0, 4)).toEqual([
    { key: 'driver', value: 'local', source: 'file' },
    { key: 'version', value: '1.36.3', source: 'built-in' },
    { key: 'timeout', value: '2m', source: 'environment', variable: 'VPLANE_TIMEOUT' },
    { key: 'namespace', value: null, source: null },
  ])
})

test('lays what adapters read from variables in from the file, under what is set', async () => {
  home.write('config/config.yaml', 'mirror: https://mirror.example\noffline: true\ndriver: local\n')

  const layers = await readSettingLayers(home.environment)
  expect(withFileSettings(home.environment, layers)).toEqual({
    ...home.environment,
    VPLANE_MIRROR: 'https://mirror.example',
    VPLANE_OFFLINE: '1',
  })
  expect(
    withFileSettings({ ...home.environment, VPLANE_MIRROR: '', VPLANE_OFFLINE: '0' }, layers),
  ).toMatchObject({ VPLANE_MIRROR: 'https://mirror.example', VPLANE_OFFLINE: '0' })
})

test('finds the file in the XDG config folder', () => {
  expect(configFileOf({ XDG_CONFIG_HOME: '/x' })).toBe('/x/vplane/config.yaml')
  expect(configFileOf({ VPLANE_HOME: '/y' })).toBe('/y/config/config.yaml')
})

test('names a variable after its setting', () => {
  expect(variableOf('driver')).toBe('VPLANE_DRIVER')
  expect(variableOf('binDir')).toBe('VPLANE_BIN_DIR')
})
