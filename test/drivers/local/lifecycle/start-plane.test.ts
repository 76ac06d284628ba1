import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { COMPONENT_NAMES } from '../../../../src/control-plane/plane/plane.ts'
import { isListening } from '../../../../src/shared/network/ports.ts'
import { endProcesses } from '../../../../src/shared/processes/end-processes.ts'
import { readProcessRecord } from '../../../../src/shared/processes/launch/process-record.ts'
import { startPlane } from '../../../../src/drivers/local/lifecycle/start-plane.ts'
import type { PlaneRecord } from '../../../../src/drivers/local/store/plane-record.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { type FakeMachine, fakeMachine } from '../fake-machine.ts'
import { startPlaneProcess } from '../guard/stored-plane.ts'

let machine: FakeMachine
let record: PlaneRecord

beforeEach(async () => {
  machine = fakeMachine()
  record = await machine.add('dev')
  return () => machine[Symbol.asyncDispose]()
})

test('starts the components of a plane in order, and records them', async () => {
  const started = await start()

  expect(await machine.starts(3)).toEqual([...COMPONENT_NAMES])
  expect(Object.keys(machine.processIds('dev'))).toEqual([...COMPONENT_NAMES])
  expect(started).toMatchObject({ isBootstrapped: true, hasData: true, ports: record.ports })
  expect((await machine.store.find('dev'))?.record).toEqual(started)
  expect(await isListening(record.ports.apiServer)).toBe(true)
})

test('starts nothing of a plane that runs', async () => {
  const started = await start()
  const before = machine.processIds('dev')

  await start(started)

  expect(machine.processIds('dev')).toEqual(before)
  expect(await machine.starts(3)).toHaveLength(3)
})

test.for(COMPONENT_NAMES)('starts %s alone when it was killed', async (component) => {
  const started = await start()
  await machine.age('dev')
  const before = machine.processIds('dev')
  await kill(before[component])

  await start(started)

  const after = machine.processIds('dev')
  expect(after).toEqual({ ...before, [component]: after[component] })
  expect(after[component]).not.toBe(before[component])
})

test('starts a kube-controller-manager that may still wait for the API again, when it is ready', async () => {
  const started = await start()
  const before = machine.processIds('dev')
  await kill(before['kube-apiserver'])
  machine.script('kube-apiserver', 'idle')
  const interrupt = new AbortController()

  const starting = start(started, { signal: interrupt.signal })
  await machine.starts(4)
  const meanwhile = machine.processIds('dev')
  interrupt.abort()
  await rejectionOf(starting)
  await kill(meanwhile['kube-apiserver'])
  machine.script('kube-apiserver', 'serve')
  await start(started)

  // It does not run while the API is not ready: it would end when it has waited for 10 s.
  expect(meanwhile).not.toHaveProperty('kube-controller-manager')
  const after = machine.processIds('dev')
  expect(Object.keys(after)).toEqual([...COMPONENT_NAMES])
  expect(after['kube-controller-manager']).not.toBe(before['kube-controller-manager'])
  expect(after.etcd).toBe(before.etcd)
})

test('does not change certificates, keys and data at starts', async () => {
  const started = await start()
  const { etcdData, pki } = machine.folder('dev')
  const keys = contentOf(pki)
  writeFileSync(join(etcdData, 'member/snap/precious'), 'data')
  await kill(...Object.values(machine.processIds('dev')))

  await start(started)

  expect(contentOf(pki)).toEqual(keys)
  expect(readFileSync(join(etcdData, 'member/snap/precious'), 'utf8')).toBe('data')
})

test('creates a plane again whose creation was interrupted', async () => {
  const { etcdData, pki } = machine.folder('dev')
  await start()
  const before = { keys: contentOf(pki), processes: machine.processIds('dev') }
  writeFileSync(join(etcdData, 'member/snap/leftover'), '')

  // The state after a vplane was killed before it recorded that everything exists.
  const started = await start(await machine.store.update(record))

  expect(started.isBootstrapped).toBe(true)
  expect(contentOf(pki)['ca.key']).not.toBe(before.keys['ca.key'])
  expect(readdirSync(join(etcdData, 'member/snap'))).toEqual(['db'])
  for (const processId of Object.values(before.processes)) {
    expect(machine.table.startTimeOf(processId)).toBeUndefined()
  }
})

test('does not use the files of an etcd that was killed at its first start', async () => {
  machine.script('etcd', 'die no space left on device', 'serve')
  await rejectionOf(start())
  const { configuration, etcdData, pki } = machine.folder('dev')
  await mkdir(join(etcdData, 'member/snap'), { recursive: true })
  writeFileSync(join(etcdData, 'member/snap/db'), 'half of it')
  writeFileSync(join(etcdData, 'member/snap/leftover'), '')
  const before = contentOf(pki)

  await start({ ...record, isBootstrapped: true })

  expect(readdirSync(join(etcdData, 'member/snap'))).toEqual(['db'])
  expect(contentOf(configuration)['etcd.json']).toContain('"initial-cluster-state": "new"')
  expect(contentOf(pki)).toEqual(before)
})

test('uses the data of etcd though it was not recorded', async () => {
  const before = await start()
  const { etcdData } = machine.folder('dev')
  writeFileSync(join(etcdData, 'member/snap/precious'), 'data')
  await kill(...Object.values(machine.processIds('dev')))

  const started = await start(await machine.store.update({ ...before, hasData: false }))

  expect(started.hasData).toBe(true)
  expect(readdirSync(join(etcdData, 'member/snap'))).toContain('precious')
})

test('does not record that etcd has data before it has', async () => {
  machine.script('etcd', 'listen and die')

  const error = await rejectionOf(start())

  expect(error.code).toBe('COMPONENT_FAILED')
  expect((await machine.store.find('dev'))?.record).toMatchObject({
    isBootstrapped: true,
    hasData: false,
  })
})

test('ends a process that a killed vplane did not record', async () => {
  const started = await start()
  const stray = await startPlaneProcess(machine.store, 'dev')
  await kill(machine.processIds('dev').etcd)

  await start(started)

  expect(machine.table.startTimeOf(stray)).toBeUndefined()
})

test('creates all files only for their owner', async () => {
  await start()

  const { root } = machine.folder('dev')
  const open = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) => (statSync(join(root, path)).mode & 0o077) !== 0,
  )

  expect(open).toEqual([])
  expect(statSync(root).mode & 0o777).toBe(0o700)
})

test.for([
  ['etcd', 1],
  ['kube-apiserver', 2],
] as const)('reports at once that %s cannot start, and why', async ([component, ran]) => {
  machine.script(component, 'die first\\nError: unknown flag: --nonsense')
  const startedAt = performance.now()

  const error = await rejectionOf(start())

  expect(performance.now() - startedAt).toBeLessThan(5000)
  expect(error).toMatchObject({
    code: 'COMPONENT_FAILED',
    message: `${component} of "dev" has ended; its last lines:\n  first\n  Error: unknown flag: --nonsense`,
    hints: [`vplane logs dev ${component}`, 'vplane doctor'],
  })
  expect(await machine.starts(ran)).toHaveLength(ran)
})

test('starts a plane whose component could not start before', async () => {
  machine.script('kube-apiserver', 'die no space left on device', 'serve')
  await rejectionOf(start())

  await start({ ...record, isBootstrapped: true, hasData: true })

  expect(Object.keys(machine.processIds('dev'))).toEqual([...COMPONENT_NAMES])
})

test('does not wait for the API on request', async () => {
  machine.script('kube-apiserver', 'idle')

  const started = await start(record, { wait: false })

  // Two of them start at once.
  expect(new Set(await machine.starts(3))).toEqual(new Set(COMPONENT_NAMES))
  expect(started.hasData).toBe(true)
})

test('says what to look at when the API is not ready in time', async () => {
  machine.script('kube-apiserver', 'idle')

  const error = await rejectionOf(start(record, { timeoutMs: 1000 }))

  expect(error).toMatchObject({
    code: 'TIMED_OUT',
    hints: [
      'vplane describe dev',
      expect.stringMatching(/^vplane logs dev (etcd|kube-apiserver)$/),
    ],
  })
})

test('stops waiting for the API when it is interrupted', async () => {
  machine.script('kube-apiserver', 'idle')
  const interrupt = new AbortController()

  const starting = start(record, { signal: interrupt.signal })
  await machine.starts(2)
  interrupt.abort()

  expect((await rejectionOf(starting)).code).toBe('ABORTED')
  expect(await machine.starts(2)).toEqual(['etcd', 'kube-apiserver'])
})

test('never serves an empty plane when the data is missing', async () => {
  const started = await start()
  await kill(machine.processIds('dev').etcd)
  await rm(machine.folder('dev').etcdData, { recursive: true })
  await mkdir(machine.folder('dev').etcdData)

  const error = await rejectionOf(start(started))

  expect(error).toMatchObject({
    code: 'FAILED',
    message: `the data of "dev" is missing: ${machine.folder('dev').etcdData} is empty`,
    hints: [
      expect.stringContaining('vplane repair dev'),
      'restore the folder from a backup',
      expect.stringContaining('vplane delete dev'),
    ],
  })
})

test('never creates new keys for existing data', async () => {
  const started = await start()
  await kill(machine.processIds('dev').etcd)
  await rm(machine.folder('dev').pki, { recursive: true })

  const error = await rejectionOf(start(started))

  expect(error).toMatchObject({
    code: 'FAILED',
    message: expect.stringMatching(/^the keys of "dev" are missing: /),
  })
})

test('trims logs that have grown too large, also of a running plane', async () => {
  const started = await start()
  const log = machine.folder('dev').logOf('kube-apiserver')
  appendFileSync(log, 'x\n'.repeat(5 * 1024 * 1024))

  await start(started)

  expect(statSync(log).size).toBeLessThanOrEqual(1024 * 1024)
})

test('starts two planes at once', async () => {
  const other = await machine.add('b')

  await Promise.all([start(), start(other)])

  expect(readProcessRecord(machine.folder('b').processOf('etcd'))).toBeDefined()
  expect((await machine.starts(6)).toSorted()).toEqual(
    [...COMPONENT_NAMES, ...COMPONENT_NAMES].toSorted(),
  )
})

function start(
  stored = record,
  { wait = true, ...more }: { signal?: AbortSignal; timeoutMs?: number; wait?: boolean } = {},
) {
  return startPlane(machine.context, stored, { operation: { ...machine.operation, ...more }, wait })
}

function kill(...processIds: Array<number | undefined>): Promise<void> {
  const { operation, table } = machine
  const processes = processIds.map((processId = 0) => {
    return { processId, startTime: table.startTimeOf(processId) ?? '' }
  })
  return endProcesses(processes, { table, signal: operation.signal, graceMs: 0 })
}

function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  )
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}
