import { X509Certificate } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { CreateRequest } from '../../../src/control-plane/driver/requests.ts'
import { isReadable } from '../../../src/control-plane/plane/unreadable-plane.ts'
import type { Plane } from '../../../src/control-plane/plane/plane.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import { LocalDriver } from '../../../src/drivers/local/local-driver.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { rejectionOf } from '../../support/thrown-by.ts'
import { type FakeMachine, fakeMachine } from './fake-machine.ts'

const WAITS = 'Waiting for another vplane that works on "dev"'

let machine: FakeMachine

beforeEach(() => {
  machine = fakeMachine()
  return () => machine[Symbol.asyncDispose]()
})

test('creates one plane when five with the same name are created at once', async () => {
  const drivers = Array.from({ length: 5 }, () => new LocalDriver(machine.context))

  const planes = await Promise.all(drivers.map((driver) => create({}, driver)))

  expect(new Set(planes.map(({ id }) => id)).size).toBe(1)
  expect(await machine.starts(3)).toHaveLength(3)
})

test('gives different ports to planes that are created at once', async () => {
  machine.context.findBinaries = () => Promise.reject(new VplaneError('FAILED', 'no binaries'))
  const names = Array.from({ length: 20 }, (_, index) => `dev-${index}`)
  await Promise.allSettled(names.map((name) => create({ name })))
  expect(await machine.store.list()).toEqual([])
  machine.context.findBinaries = () => Promise.resolve(missingBinaries())

  await Promise.allSettled(names.map((name) => create({ name })))

  const planes = await machine.store.list()
  const ports = planes.flatMap(({ record }) =>
    record instanceof VplaneError ? [] : Object.values<number>({ ...record.ports }),
  )
  expect(planes).toHaveLength(20)
  expect(new Set(ports).size).toBe(80)
})

test('creates nothing when binaries are missing', async () => {
  machine.context.findBinaries = () => Promise.reject(new VplaneError('FAILED', 'no binaries'))

  const error = await rejectionOf(create())

  expect(error.message).toBe('no binaries')
  expect(readdirSync(machine.store.planes)).toEqual([])
})

test.for([
  ['a plane that lasts', {}, { isNew: true, isLasting: true }],
  ['one that ends with its owner', { ownerProcessId: process.pid }, { isLasting: false }],
  ['one that is restored', { awaitsRestore: { keys: {} } }, { isNew: false }],
] as const)('says what the binaries are for: %s', async ([, said, wanted]) => {
  const find = vi.spyOn(machine.context, 'findBinaries')

  await create(said)

  expect(find.mock.calls[0]?.[0]).toMatchObject(wanted)
})

test('does not change a paused plane that is created again', async () => {
  const plane = await create()
  await machine.driver.pause(plane, machine.operation)

  const again = await create()

  expect(again).toMatchObject({ id: plane.id, desired: 'paused' })
  expect(machine.processIds('dev')).toEqual({})
})

test('creates a paused plane without binaries, and starts it when it is created again', async () => {
  const find = vi.spyOn(machine.context, 'findBinaries')
  const paused = await create({ isPaused: true })
  const again = await create({ isPaused: true })
  const asked = find.mock.calls.length

  const started = await create()

  const unused = { id: paused.id, desired: 'paused', neverStarted: true }
  expect([paused, again]).toMatchObject([unused, unused])
  expect(asked).toBe(0)
  expect(started).toMatchObject({ id: paused.id, desired: 'running' })
  expect(started).not.toHaveProperty('neverStarted')
  expect(await machine.starts(3)).toHaveLength(3)
})

test('completes a paused plane whose creation was interrupted, and starts nothing', async () => {
  const { store } = machine.context
  const { id } = await create({ isPaused: true })
  const { record } = (await store.find('dev')) ?? {}
  expect.assert(record !== undefined && !(record instanceof VplaneError))
  rmSync(machine.folder('dev').pki, { recursive: true })
  await store.update({ ...record, isBootstrapped: false })

  const plane = await create({ isPaused: true })

  expect(plane).toMatchObject({ id, desired: 'paused' })
  expect(plane.unfinished).toBeUndefined()
  expect(readdirSync(machine.folder('dev').pki)).toContain('ca.key')
  expect(machine.processIds('dev')).toEqual({})
})

test('stores the absolute folder of its binaries', async () => {
  await create({ binDir: 'bin' })

  const { record } = (await machine.store.find('dev')) ?? {}
  expect(record).toMatchObject({ binDir: join(process.cwd(), 'bin') })
})

test('removes a plane whose owner has ended when planes are listed', async () => {
  const { table } = machine
  await create({ ownerProcessId: process.pid })
  expect(await machine.driver.find('dev')).toHaveLength(1)

  const startTimeOf = (id: number) => (id === process.pid ? undefined : table.startTimeOf(id))
  const without = { ...machine.context, table: { ...table, startTimeOf } }
  const found = await new LocalDriver(without).find('dev')

  expect(found).toEqual([])
  expect(machine.allProcessIds()).toEqual([])
})

test('lists and removes a plane whose record is damaged, with its processes', async () => {
  await create()
  writeFileSync(machine.folder('dev').record, '{"formatVersion":1,"na')

  const [listed] = await machine.driver.list()
  expect.assert(listed !== undefined && !isReadable(listed))
  const leftovers = await machine.driver.remove(listed, machine.operation)

  expect(listed).toMatchObject({ name: 'dev', reason: expect.stringContaining('is damaged') })
  expect(leftovers).toEqual([])
  expect(machine.allProcessIds()).toEqual([])
  expect(await machine.driver.list()).toEqual([])
})

test('removes the copy of a folder without its original', async () => {
  const plane = await create()
  const before = machine.processIds('dev')
  cpSync(machine.folder('dev').root, machine.folder('copy').root, { recursive: true })

  const [copy] = await machine.driver.find('copy')
  expect.assert(copy !== undefined)
  await machine.driver.remove(copy, machine.operation)

  expect(copy).toMatchObject({ name: 'copy', reason: expect.stringContaining('named "dev"') })
  expect(machine.processIds('dev')).toEqual(before)
  expect(await machine.driver.isRunning(plane)).toBe(true)
})

test('does not change a plane that was deleted and created again since it was found', async () => {
  const plane = await create()
  await machine.driver.remove(plane, machine.operation)
  await create()
  const before = machine.processIds('dev')
  const certificate = apiCertificate()

  const errors = [
    await rejectionOf(machine.driver.remove(plane, machine.operation)),
    await rejectionOf(machine.driver.certificates.renewLeaves(plane, machine.operation)),
    await rejectionOf(machine.driver.pause(plane, machine.operation)),
    await rejectionOf(machine.driver.start(plane, machine.operation)),
    await rejectionOf(machine.driver.endpoint(plane)),
    await rejectionOf(machine.driver.status(plane)),
  ]

  expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['CONTROL_PLANE_NOT_FOUND']))
  expect(errors[0]?.message).toBe('"dev" was deleted meanwhile')
  expect(machine.processIds('dev')).toEqual(before)
  expect(apiCertificate()).toBe(certificate)
})

test('does not remove a plane that was created again in place of an unreadable one', async () => {
  const { driver, operation, store } = machine
  await machine.add('dev')
  writeFileSync(machine.folder('dev').record, '{')
  const [unreadable] = await driver.find('dev')
  await store.remove('dev')
  const created = await machine.add('dev')

  expect.assert(unreadable !== undefined)
  const error = await rejectionOf(driver.remove(unreadable, operation))

  expect(error.code).toBe('CONTROL_PLANE_NOT_FOUND')
  expect((await store.find('dev'))?.record).toEqual(created)
})

test('issues credentials that the plane trusts', async () => {
  const plane = await create()

  const identity = { user: 'jane', groups: ['developers', 'testers'] }
  const credential = await machine.driver.issueCredential(plane, identity, 60_000)

  const { certificateAuthority, server } = await machine.driver.endpoint(plane)
  const certificate = new X509Certificate(credential.certificate)
  expect(server).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  expect(certificate.verify(new X509Certificate(certificateAuthority).publicKey)).toBe(true)
  const subject = ['CN=jane', 'O=developers', 'O=testers']
  expect(certificate.subject.split('\n').toSorted()).toEqual(subject)
})

test('fails as soon as a component has ended, with its last lines', async () => {
  const plane = await create()
  await machine.driver.checkComponents(plane)
  writeFileSync(machine.folder('dev').logOf('etcd'), 'panic\n')
  process.kill(machine.processIds('dev').etcd ?? 0, 'SIGKILL')

  await expect.poll(() => machine.driver.isRunning(plane)).toBe(false)
  const error = await rejectionOf(machine.driver.checkComponents(plane))

  expect(error).toMatchObject({
    code: 'COMPONENT_FAILED',
    message: 'etcd of "dev" has ended; its last lines:\n  panic',
  })
})

test('does not report a plane whose API does not listen as running', async () => {
  machine.script('kube-apiserver', 'idle')
  const plane = await create({ wait: false })

  expect(await machine.driver.isRunning(plane)).toBe(false)
})

test('reads the log of a component', async () => {
  const plane = await create()
  const options = { component: 'etcd', follow: false, tail: 1 } as const

  const lines = machine.driver.logs(plane, options, machine.operation.signal)

  expect(await Array.fromAsync(lines)).toEqual([{ text: 'etcd runs\n' }])
})

test('counts a plane as asleep until its start has ended', async () => {
  const plane = await create()
  const since = new Date('2026-06-01T12:00:00Z')
  const idle = { since, isStill: async () => true }
  await machine.driver.pause(plane, machine.operation, { idle })
  machine.script('kube-apiserver', 'idle')
  const stop = new AbortController()
  const starting = machine.driver.start(plane, { ...machine.operation, signal: stop.signal })
  await expect.poll(() => machine.processIds('dev')).toHaveProperty('kube-apiserver')
  stop.abort()
  await rejectionOf(starting)

  const [interrupted] = await machine.driver.find('dev')
  expect(interrupted).toMatchObject({ desired: 'running', idleSince: since })

  process.kill(machine.processIds('dev')['kube-apiserver'] ?? 0, 'SIGKILL')
  machine.script('kube-apiserver', 'serve')
  await expect.poll(() => machine.processIds('dev')['kube-apiserver']).toBeUndefined()
  await machine.driver.start(plane, machine.operation)

  const [started] = await machine.driver.find('dev')
  expect(started).toMatchObject({ desired: 'running' })
  expect(started).not.toHaveProperty('idleSince')
})

test('counts a plane that was never started as asleep until its first start has ended', async () => {
  const plane = await create({ isPaused: true })
  machine.script('kube-apiserver', 'die no disk')
  await rejectionOf(machine.driver.start(plane, machine.operation))

  const [failed] = await machine.driver.find('dev')
  expect(failed).toMatchObject({ desired: 'running', idleSince: plane.createdAt })

  machine.script('kube-apiserver', 'serve')
  await machine.driver.start(plane, machine.operation)

  const [started] = await machine.driver.find('dev')
  expect(started).not.toHaveProperty('idleSince')
})

test('waits for another vplane that changes the plane, and shows that', async () => {
  const plane = await create()
  const lock = await machine.store.lock('dev', { signal: machine.operation.signal })
  onTestFinished(() => lock[Symbol.asyncDispose]())

  const pausing = machine.driver.pause(plane, machine.operation)
  await expect.poll(() => machine.ui.steps).toContain(WAITS)
  expect(Object.keys(machine.processIds('dev'))).toHaveLength(3)
  await lock[Symbol.asyncDispose]()
  await pausing

  expect(machine.processIds('dev')).toEqual({})
})

test('gives up waiting for another vplane in time, and says what shows its operation', async () => {
  const plane = await create()
  await using _lock = await machine.store.lock('dev', machine.operation)

  const pausing = machine.driver.pause(plane, { ...machine.operation, timeoutMs: 100 })

  expect(await rejectionOf(pausing)).toMatchObject({
    code: 'TIMED_OUT',
    message: 'gave up waiting for another vplane that works on "dev" after 0.1 s',
    hints: ['to show its operation: vplane describe dev'],
  })
})

test('continues with a plane that a killed vplane left before its first process', async () => {
  const record = await machine.add('dev')
  mkdirSync(join(machine.store.planes, `.new-${process.pid}-0123abcd-dev-x`))
  renameSync(machine.folder('dev').logs, `${machine.folder('dev').root}/logs-moved`)
  mkdirSync(machine.folder('dev').logs)

  const plane = await create()

  expect(plane.id).toBe(record.id)
  expect(Object.keys(machine.processIds('dev'))).toHaveLength(3)
})

function create(fields: Partial<CreateRequest> = {}, driver = machine.driver): Promise<Plane> {
  const request = { name: 'dev', userSpec: {}, spec: resolveSpec({}), wait: true, ...fields }
  return driver.create(request, machine.operation)
}

function apiCertificate(): string {
  return readFileSync(join(machine.folder('dev').pki, 'apiserver.crt'), 'utf8')
}

function missingBinaries(): Awaited<ReturnType<FakeMachine['context']['findBinaries']>> {
  const missing = '/nonexistent/binary'
  return { etcd: missing, 'kube-apiserver': missing, 'kube-controller-manager': missing }
}
