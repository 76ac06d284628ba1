import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compose, type Composition } from '../../src/compose/compose.ts'
import { listControlPlanes } from '../../src/control-plane/use-cases/find/list-control-planes.ts'
import { temporaryHome, type TemporaryHome } from '../cli/temporary-home.ts'
import { planeRecordOf } from '../drivers/local/plane-record-of.ts'
import { RecordingUi } from '../support/recording-ui.ts'
import { storedPlane } from '../support/some-planes.ts'

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

test('keeps the access to a plane within its folder, for its owner alone', async () => {
  const composition = composed()
  const plane = storedPlane('dev')
  const folder = join(home.root, 'data', 'planes', 'dev')
  mkdirSync(folder, { recursive: true })
  const access = {
    server: 'https://127.0.0.1:1',
    certificateAuthority: 'CA',
    certificate: 'CERT',
    key: 'KEY',
    expiresAt: new Date(),
  }

  await composition.accesses.write(plane, access)

  expect(await composition.accesses.read(plane)).toMatchObject(access)
  const [file] = [join(folder, 'access.json')]
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('writes the program that contexts name before the context that names it', async () => {
  const composition = composed()
  const { signal } = new AbortController()
  const endpoint = { server: 'https://127.0.0.1:1', certificateAuthority: 'CA' }

  const { file } = await composition.contexts.add(
    { plane: storedPlane('dev'), endpoint, user: { kind: 'plugin' } },
    signal,
  )

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
  const { signal } = new AbortController()
  const operation = { ui: composition.ui, signal }

  const found = await composition.findKubectl({ ...storedPlane('dev'), binDir }, operation)

  expect(found).toBe(kubectl)
})

test('finds kubectl in binDir, and nowhere else offline', async () => {
  const environment = { ...home.environment, VPLANE_OFFLINE: '1' }
  const composition = composed({ environment })
  const { signal } = new AbortController()

  const found = composition.findKubectl(storedPlane('dev'), { ui: composition.ui, signal })

  await expect(found).rejects.toMatchObject({ code: expect.stringMatching(/FAILED|NOT_FOUND/) })
})
