import { statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, expectTypeOf, test } from 'vitest'
import type { CreateRequest } from '../../../src/control-plane/driver/requests.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import type { ControlPlaneSpec } from '../../../src/library/index.ts'
import {
  type OwnedDependencies,
  startOwned,
  toUserSpec,
} from '../../../src/library/start/start-owned.ts'
import { FakeDriver } from '../../support/driver/fake-driver.ts'
import { MemoryContexts } from '../../support/memory-contexts.ts'
import { RecordingUi } from '../../support/driver/recording-ui.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'

const NOW = new Date('2026-03-01T12:00:00Z')

let driver: FakeDriver
let ui: RecordingUi
let requests: CreateRequest[]
/** What happened to the guard and to the driver, in order. */
let events: string[]
let deps: OwnedDependencies

beforeEach(async () => {
  const folder = await temporaryFolder()
  driver = new FakeDriver({ now: () => NOW })
  ui = new RecordingUi()
  requests = []
  events = []
  driver.beforeCreate = (request) => {
    requests.push(request)
    events.push('create')
  }
  deps = {
    drivers: [driver],
    contexts: new MemoryContexts(),
    openApi: driver.openApi,
    ui,
    now: () => NOW,
    root: join(folder.path, 'root'),
    guard: {
      protect: async (root, name) => {
        events.push(`protect ${root === deps.root ? name : root}`)
      },
      release: async (_root, name) => {
        events.push(`release ${name}`)
      },
    },
  }
  return () => folder[Symbol.asyncDispose]()
})

test('creates nothing for an option that does not exist', async () => {
  const options: object = { crd: ['config/crd'] }

  await expect(startOwned(deps, { ...options })).rejects.toMatchObject({ code: 'USAGE' })
  expect(events).toEqual([])
})

test('is protected before it is created, and released when it is removed', async () => {
  const plane = await startOwned(deps, {})
  await plane.stop()

  expect(events).toEqual([`protect ${plane.name}`, 'create', `release ${plane.name}`])
  expect(driver.calls).toContain(`remove ${plane.name}`)
  expect(driver.planes.size).toBe(0)
})

test('belongs to this process, is ephemeral, and has a unique name', async () => {
  await using one = await startOwned(deps, {})
  await using other = await startOwned(deps, {})

  expect(requests).toMatchObject([
    { name: one.name, ownerProcessId: process.pid, userSpec: { ephemeral: true } },
    { name: other.name, ownerProcessId: process.pid, userSpec: { ephemeral: true } },
  ])
  expect(one.name).toMatch(/^test-[0-9a-f]{10}$/)
  expect(other.name).not.toBe(one.name)
})

test('stores planes in a folder that only the user may access', async () => {
  await using _plane = await startOwned(deps, {})

  expect(statSync(deps.root).mode & 0o777).toBe(0o700)
})

test('takes its binaries from binDir', async () => {
  await using _plane = await startOwned(deps, { binDir: '/opt/kubernetes' })

  expect(requests).toMatchObject([{ binDir: '/opt/kubernetes' }])
})

test('is removed once, however often it is stopped', async () => {
  const plane = await startOwned(deps, {})

  await Promise.all([plane.stop(), plane.stop(), plane[Symbol.asyncDispose]()])

  expect(driver.calls.filter((call) => call.startsWith('remove'))).toHaveLength(1)
})

test('leaves nothing when it cannot be made', async () => {
  driver.beforeCreate = () => {
    events.push('create')
    throw new Error('no more processes')
  }

  await expect(startOwned(deps, {})).rejects.toThrow('no more processes')

  expect(events.map((event) => event.split(' ')[0])).toEqual(['protect', 'create', 'release'])
  expect(driver.planes.size).toBe(0)
})

test('leaves nothing when it does not become ready', async () => {
  const openApi = deps.openApi
  deps.openApi = (access) => {
    for (const plane of driver.planes.values()) {
      plane.api.isUp = false
    }
    return openApi(access)
  }

  await expect(startOwned(deps, { timeoutMs: 50 })).rejects.toMatchObject({ code: 'TIMED_OUT' })

  expect(driver.planes.size).toBe(0)
  expect(events.at(-1)).toMatch(/^release /)
})

test('reports what remains, and stays protected, when it cannot be removed', async () => {
  const plane = await startOwned(deps, {})
  driver.leftovers = [{ what: 'process 4711', why: 'it did not end' }]

  await expect(plane.stop()).rejects.toMatchObject({
    code: 'FAILED',
    message: `"${plane.name}" could not be removed: process 4711: it did not end`,
  })
  expect(events).not.toContain(`release ${plane.name}`)
})

test('starts although the leftovers of others cannot be removed', async () => {
  const list = driver.list.bind(driver)
  driver.list = () => {
    // The other looks are for a plane by its name.
    driver.list = list
    return Promise.reject(new Error('the disk is full'))
  }
  driver.find = async (name) => (await list()).filter((plane) => plane.name === name)

  await using plane = await startOwned(deps, {})

  expect(plane.name).toMatch(/^test-/)
  expect(ui.warnings).toEqual([
    'cannot remove control planes of processes that ended: the disk is full',
  ])
})

test.for([
  ['a version that is none', { version: 'one' }, 'USAGE'],
  ['a spec that is none', { spec: { serviceRange: 'all' } }, 'INVALID_SPEC'],
  ['a path that is not there', { crds: ['no/such/folder'] }, 'USAGE'],
  ['an object that is none', { crds: [{ kind: 'Secret' }] }, 'INVALID_SPEC'],
  ['a webhook that is none', { webhooks: { objects: [{}] } }, 'INVALID_SPEC'],
  ['a host that is none', { webhooks: { host: 'no host' } }, 'INVALID_SPEC'],
] as const)('refuses %s before anything is made', async ([, options, code]) => {
  await expect(startOwned(deps, options)).rejects.toMatchObject({ code })

  expect(events).toEqual([])
})

test('reports how to run it on a platform without the local driver', async () => {
  deps.drivers = []

  await expect(startOwned(deps, {})).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    hints: [expect.stringContaining('WSL 2')],
  })
})

const PARTLY_UNDEFINED = { apiGroups: undefined, etcd: { goGc: undefined, extraArgs: { v: '2' } } }

test.for<[string, Parameters<typeof toUserSpec>[0], UserSpec]>([
  ['is ephemeral', {}, { ephemeral: true }],
  ['is not ephemeral when told otherwise', { spec: { ephemeral: false } }, { ephemeral: false }],
  ['takes the version as an option', { version: '1.35' }, { version: '1.35', ephemeral: true }],
  ['takes it in the spec', { spec: { version: '1.35' } }, { version: '1.35', ephemeral: true }],
  [
    'takes the option when both have one',
    { version: '1.36', spec: { version: '1.35' } },
    { version: '1.36', ephemeral: true },
  ],
  [
    'leaves out what is undefined, however deep',
    { version: undefined, spec: PARTLY_UNDEFINED },
    { ephemeral: true, etcd: { extraArgs: { v: '2' } } },
  ],
])('%s', ([, options, spec]) => {
  expect(toUserSpec(options)).toEqual(spec)
})

test.for([
  [{ serviceRange: 'everything' }, 'serviceRange'],
  [{ apiServer: { goGc: 1 } }, 'apiServer.goGc'],
  [{ etcd: { extraArgs: { '--dashes': 'x' } } }, 'etcd.extraArgs'],
] as const)('names the field that is wrong in %j', ([spec, field]) => {
  expect(() => toUserSpec({ spec: structuredClone(spec) as ControlPlaneSpec })).toThrow(
    expect.objectContaining({ code: 'INVALID_SPEC', message: expect.stringContaining(field) }),
  )
})

test('knows every field of a spec that is not for pods', () => {
  type Defined<T> = T extends (infer Entry)[]
    ? Defined<Entry>[]
    : T extends object
      ? { [Key in keyof T]-?: Defined<Exclude<T[Key], undefined>> }
      : T

  type PodField = 'preset' | 'storage' | 'expose' | 'images' | 'pods' | 'scheduler' | 'keeper'
  type HostField = PodField | 'sync' | 'policies' | 'metrics' | 'credentials'
  type Component = 'etcd' | 'apiServer' | 'controllerManager'
  // Such a plane lives as long as its process, and no list has it: it needs no backups, pause when idle, renewal or labels.
  type LastingField = 'backup' | 'idle' | 'wake' | 'renew' | 'labels'
  type LocalSpec = Omit<UserSpec, HostField | Component | LastingField | 'store'> & {
    store?: Omit<NonNullable<UserSpec['store']>, 'resources'>
  } & {
    [Name in Component]?: Omit<
      NonNullable<UserSpec[Name]>,
      'replicas' | 'resources' | 'podTemplate' | 'egress'
    >
  }

  expectTypeOf<Defined<ControlPlaneSpec>>().toEqualTypeOf<Defined<LocalSpec>>()
})
