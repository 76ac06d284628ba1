import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compose, type Composition } from '../../src/compose/compose.ts'
import { COMPONENT_NAMES } from '../../src/control-plane/plane/plane.ts'
import { listControlPlanes } from '../../src/control-plane/use-cases/find/list-control-planes.ts'
import { temporaryHome, type TemporaryHome } from '../cli/temporary-home.ts'
import { planeRecordOf } from '../drivers/local/plane-record-of.ts'
import { cacheBinaries } from '../support/machine/cached-binaries.ts'
import { RecordingUi } from '../support/driver/recording-ui.ts'
import { storedPlane } from '../support/driver/some-planes.ts'
import { rejectionOf } from '../support/thrown-by.ts'

const { signal } = new AbortController()
const OPERATION = { ui: new RecordingUi(), signal }
const ENDPOINT = { server: 'https://127.0.0.1:1', certificateAuthority: 'CA' }

let home: TemporaryHome

beforeEach(() => {
  home = temporaryHome()
})
afterEach(() => home[Symbol.dispose]())

function composed(options: Partial<Parameters<typeof compose>[0]> = {}): Composition {
  const environment = { ...home.environment, KUBECONFIG: join(home.root, 'kubeconfig') }
  return compose({ environment, ui: new RecordingUi(), ...options })
}

test.for([
  ['linux', ['local', 'kubernetes']],
  ['darwin', ['local', 'kubernetes']],
  ['win32', ['kubernetes']],
] as const)('on %s runs planes by the drivers %j', ([platform, drivers]) => {
  expect(composed({ platform }).drivers.map(({ name }) => name)).toEqual(drivers)
})

test('writes nothing when it is composed, and when it lists planes that do not exist', async () => {
  const composition = composed()
  await composition.refreshed

  expect(await listControlPlanes(composition)).toEqual([])
  expect(existsSync(join(home.root, 'data'))).toBe(false)
  expect(existsSync(join(home.root, 'kubeconfig'))).toBe(false)
})

test('finds planes in the data folder, or in another root', async () => {
  const record = (name: string) => JSON.stringify(planeRecordOf(name))
  home.write('data/planes/one/plane.json', record('one'))
  home.write('other/planes/two/plane.json', record('two'))

  const names = async (composition: Composition) =>
    (await listControlPlanes(composition)).map(({ plane }) => plane.name)

  expect(await names(composed())).toEqual(['one'])
  expect(await names(composed({ root: join(home.root, 'other') }))).toEqual(['two'])
})

test('knows the ports of all planes of the user, from any root', async () => {
  const ports = { etcdClient: 1, etcdPeer: 2, apiServer: 3, controllerManager: 4 }
  const others = { etcdClient: 5, etcdPeer: 6, apiServer: 7, controllerManager: 8 }
  home.write('data/planes/one/plane.json', JSON.stringify(planeRecordOf('one', { ports })))
  home.write('other/planes/two/plane.json', JSON.stringify(planeRecordOf('two', { ports: others })))

  const reserved = await composed({ root: join(home.root, 'other') }).reservedPorts()

  expect(reserved).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8]))
})

test('keeps the access to a plane within its folder, for its owner alone', async () => {
  const composition = composed()
  const plane = storedPlane('dev')
  const folder = join(home.root, 'data', 'planes', 'dev')
  mkdirSync(folder, { recursive: true })
  const access = { ...ENDPOINT, certificate: 'CERT', key: 'KEY', expiresAt: new Date() }

  await composition.accesses.write(plane, access)

  expect(await composition.accesses.read(plane)).toMatchObject(access)
  expect(statSync(join(folder, 'access.json')).mode & 0o777).toBe(0o600)
})

test('writes the program that contexts name before the context that names it', async () => {
  const composition = composed()
  const context = { plane: storedPlane('a'), endpoint: ENDPOINT, user: { kind: 'plugin' } } as const

  const { file } = await composition.contexts.add(context, signal)

  const launcher = join(composition.paths.data, 'bin', 'vplane-credential')
  expect(readFileSync(file, 'utf8')).toContain(launcher)
  expect(statSync(launcher).mode & 0o777).toBe(0o700)
  expect(readFileSync(launcher, 'utf8')).toContain(process.execPath)
})

test('brings a program that another vplane wrote up to date, and makes none', async () => {
  const launcher = join(home.root, 'data', 'bin', 'vplane-credential')
  await composed().refreshed
  expect(existsSync(launcher)).toBe(false)
  mkdirSync(dirname(launcher), { recursive: true })
  writeFileSync(launcher, '#!/bin/sh\nexec /gone/vplane\n')

  await composed().refreshed

  expect(readFileSync(launcher, 'utf8')).toContain(process.execPath)
  expect(readFileSync(launcher, 'utf8')).not.toContain('/gone/')
})

test('takes the kubectl beside the binaries of a plane, when there is one', async () => {
  const binDir = join(home.root, 'own')
  const kubectl = join(binDir, 'kubectl')
  mkdirSync(binDir)
  writeFileSync(kubectl, '#!/bin/sh\n', { mode: 0o755 })
  const composition = composed()

  const found = await composition.findKubectl({ ...storedPlane('dev'), binDir }, OPERATION)

  expect(found).toBe(kubectl)
})

test('finds kubectl in binDir, and nowhere else offline', async () => {
  const composition = composed({ environment: { ...home.environment, VPLANE_OFFLINE: '1' } })

  const found = composition.findKubectl(storedPlane('dev'), OPERATION)

  await expect(found).rejects.toMatchObject({ code: expect.stringMatching(/FAILED|NOT_FOUND/) })
})

test('reads the settings again when a binary is missing', async () => {
  const readEnvironment = async () => ({ ...home.environment, VPLANE_OFFLINE: '1', PATH: '' })
  const composition = composed({ readEnvironment })

  const found = composition.findKubectl(storedPlane('dev'), OPERATION)

  await expect(found).rejects.toThrow('VPLANE_OFFLINE is set')
})

test('names what a restore here needs and cannot get, and how to get it', async () => {
  const tools = offline().drivers[0]?.tools
  expect.assert(tools !== undefined)

  const failure = await rejectionOf(
    tools.ensure({ ...storedPlane('dev'), forRestore: true }, OPERATION),
  )

  expect(failure.message).toBe(
    'cannot get etcdutl of etcd 3.6.16: VPLANE_OFFLINE is set, and no Go is installed to build with',
  )
  expect(failure.hints).toEqual([
    'install Go and run the command again: https://go.dev/dl',
    'without VPLANE_OFFLINE: vplane binaries pull 1.36.3',
    expect.stringContaining(`copy etcdutl of etcd 3.6.16 to ${home.root}/cache/bin/etcd/3.6.16/`),
  ])
})

test('creates a plane without what only a restore needs, and says so', async () => {
  cacheBinaries(home, COMPONENT_NAMES)
  const ui = new RecordingUi()
  const { spec, userSpec } = storedPlane('dev')
  const [local] = offline().drivers
  expect.assert(local !== undefined)
  const request = { name: 'dev', spec, userSpec, wait: true }
  const failure = await rejectionOf(local.create(request, { ui, signal }))

  expect(failure.code).toBe('COMPONENT_FAILED')
  expect(ui.notes.at(-1)).toMatch(
    /^cannot get etcdutl of etcd .*; only a restore needs etcdutl; to try again: vplane binaries/,
  )
})

function offline(): Composition {
  return composed({ environment: { ...home.environment, VPLANE_OFFLINE: '1', PATH: '' } })
}
