import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMPONENT_NAMES } from '../../../../src/control-plane/plane/plane.ts'
import { isListening } from '../../../../src/shared/network/ports.ts'
import { endProcesses } from '../../../../src/shared/processes/end-processes.ts'
import { readProcessRecord } from '../../../../src/shared/processes/launch/process-record.ts'
import { startPlane } from '../../../../src/drivers/local/lifecycle/start-plane.ts'
import type { PlaneRecord } from '../../../../src/drivers/local/store/plane-record.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { type FakeMachine, fakeMachine } from '../fake-machine.ts'
import { startPlaneProcess } from '../guard/stored-plane.ts'

test('starts the components of a plane in order, and records them', async () => {
  await using machine = fakeMachine()
  const record = await machine.add('dev')

  const started = await start(machine, record)

  expect(await machine.starts(3)).toEqual([...COMPONENT_NAMES])
  expect(Object.keys(machine.processIds('dev'))).toEqual([...COMPONENT_NAMES])
  expect(started).toMatchObject({ isBootstrapped: true, hasData: true, ports: record.ports })
  expect((await machine.store.find('dev'))?.record).toEqual(started)
  expect(await isListening(record.ports.apiServer)).toBe(true)
})

test('starts nothing of a plane that runs', async () => {
  await using machine = fakeMachine()
  const record = await start(machine, await machine.add('dev'))
  const before = machine.processIds('dev')

  await start(machine, record)

  expect(machine.processIds('dev')).toEqual(before)
  expect(await machine.starts(3)).toHaveLength(3)
})

test.for(COMPONENT_NAMES)('starts %s alone when it was killed', async (component) => {
  await using machine = fakeMachine()
  const record = await start(machine, await machine.add('dev'))
  const before = machine.processIds('dev')
  await kill(machine, before[component])

  await start(machine, record)

  const after = machine.processIds('dev')
  expect(after).toEqual({ ...before, [component]: after[component] })
  expect(after[component]).not.toBe(before[component])
})

test('does not change certificates, keys and data at starts', async () => {
  await using machine = fakeMachine()
  const record = await start(machine, await machine.add('dev'))
  const { etcdData, pki } = machine.folder('dev')
  const keys = contentOf(pki)
  writeFileSync(join(etcdData, 'member/snap/precious'), 'data')
  for (const processId of Object.values(machine.processIds('dev'))) {
    await kill(machine, processId)
  }

  await start(machine, record)

  expect(contentOf(pki)).toEqual(keys)
  expect(readFileSync(join(etcdData, 'member/snap/precious'), 'utf8')).toBe('data')
})

test('creates a plane again whose creation was interrupted', async () => {
  await using machine = fakeMachine()
  const record = await machine.add('dev')
  const { etcdData, pki } = machine.folder('dev')
  await start(machine, record)
  const before = { keys: contentOf(pki), processes: machine.processIds('dev') }
  writeFileSync(join(etcdData, 'member/snap/leftover'), '')

  // The state after a vplane was killed before it recorded that everything exists.
  const started = await start(machine, await machine.store.update(record))

  expect(started.isBootstrapped).toBe(true)
  expect(contentOf(pki)['ca.key']).not.toBe(before.keys['ca.key'])
  expect(readdirSync(join(etcdData, 'member/snap'))).toEqual(['db'])
  for (const processId of Object.values(before.processes)) {
    expect(machine.table.startTimeOf(processId)).toBeUndefined()
  }
})

test('does not use the files of an etcd that was killed at its first start', async () => {
  await using machine = fakeMachine()
  const record = await machine.add('dev')
  machine.script('etcd', 'die no space left on device', 'serve')
  await rejectionOf(start(machine, record))
  const { etcdData } = machine.folder('dev')
  await mkdir(join(etcdData, 'member/snap'), { recursive: true })
  writeFileSync(join(etcdData, 'member/snap/db'), 'half of it')
  writeFileSync(join(etcdData, 'member/snap/leftover'), '')
  const before = contentOf(machine.folder('dev').pki)

  await start(machine, { ...record, isBootstrapped: true })

  expect(readdirSync(join(etcdData, 'member/snap'))).toEqual(['db'])
  const configuration = contentOf(machine.folder('dev').configuration)
  expect(configuration['etcd.json']).toContain('"initial-cluster-state": "new"')
  expect(contentOf(machine.folder('dev').pki)).toEqual(before)
})

test('uses the data of etcd though it was not recorded', async () => {
  await using machine = fakeMachine()
  const record = await start(machine, await machine.add('dev'))
  const { etcdData } = machine.folder('dev')
  writeFileSync(join(etcdData, 'member/snap/precious'), 'data')
  for (const processId of Object.values(machine.processIds('dev'))) {
    await kill(machine, processId)
  }

  const started = await start(machine, await machine.store.update({ ...record, hasData: false }))

  expect(started.hasData).toBe(true)
  expect(readdirSync(join(etcdData, 'member/snap'))).toContain('precious')
})

test('does not record that etcd has data before it has', async () => {
  await using machine = fakeMachine()
  const record = await machine.add('dev')
  machine.script('etcd', 'listen and die')

  const error = await rejectionOf(start(machine, record))

  expect(error.code).toBe('COMPONENT_FAILED')
  expect((await machine.store.find('dev'))?.record).toMatchObject({
    isBootstrapped: true,
    hasData: false,
  })
})

test('ends a process that a killed vplane did not record', async () => {
  await using machine = fakeMachine()
  const record = await start(machine, await machine.add('dev'))
  const stray = await startPlaneProcess(machine.store, 'dev')
  await kill(machine, machine.processIds('dev').etcd)

  await start(machine, record)

  expect(machine.table.startTimeOf(stray)).toBeUndefined()
})

test('creates all files only for their owner', async () => {
  await using machine = fakeMachine()
  await start(machine, await machine.add('dev'))

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
] as const)(
  'reports at once that %s cannot start, with its last lines',
  async ([component, ran]) => {
    await using machine = fakeMachine()
    const record = await machine.add('dev')
    machine.script(component, 'die first\\nError: unknown flag: --nonsense')
    const startedAt = performance.now()

    const error = await rejectionOf(start(machine, record))

    expect(performance.now() - startedAt).toBeLessThan(5000)
    expect(error).toMatchObject({
      code: 'COMPONENT_FAILED',
      message: `${component} of "dev" has ended; its last lines:\n  first\n  Error: unknown flag: --nonsense`,
      hints: [`vplane logs dev ${component}`, 'vplane doctor'],
    })
    expect(await machine.starts(ran)).toHaveLength(ran)
  },
)

test('starts a plane whose component could not start before', async () => {
  await using machine = fakeMachine()
  const record = await machine.add('dev')
  machine.script('kube-apiserver', 'die no space left on device', 'serve')
  await rejectionOf(start(machine, record))

  await start(machine, { ...record, isBootstrapped: true, hasData: true })

  expect(Object.keys(machine.processIds('dev'))).toEqual([...COMPONENT_NAMES])
})

test('does not wait for the API on request', async () => {
  await using machine = fakeMachine()
  const record = await machine.add('dev')
  machine.script('kube-apiserver', 'idle')

  const started = await start(machine, record, { wait: false })

  // Two of them start at once.
  expect(new Set(await machine.starts(3))).toEqual(new Set(COMPONENT_NAMES))
  expect(started.hasData).toBe(true)
})

test('stops waiting for the API when it is interrupted', async () => {
  await using machine = fakeMachine()
  const record = await machine.add('dev')
  machine.script('kube-apiserver', 'idle')
  const interrupt = new AbortController()

  const starting = start(machine, record, { signal: interrupt.signal })
  await machine.starts(2)
  interrupt.abort()

  expect((await rejectionOf(starting)).code).toBe('ABORTED')
  expect(await machine.starts(2)).toEqual(['etcd', 'kube-apiserver'])
})

test('never serves an empty plane when the data is missing', async () => {
  await using machine = fakeMachine()
  const record = await start(machine, await machine.add('dev'))
  await kill(machine, machine.processIds('dev').etcd)
  await rm(machine.folder('dev').etcdData, { recursive: true })
  await mkdir(machine.folder('dev').etcdData)

  const error = await rejectionOf(start(machine, record))

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
  await using machine = fakeMachine()
  const record = await start(machine, await machine.add('dev'))
  await kill(machine, machine.processIds('dev').etcd)
  await rm(machine.folder('dev').pki, { recursive: true })

  const error = await rejectionOf(start(machine, record))

  expect(error).toMatchObject({
    code: 'FAILED',
    message: expect.stringMatching(/^the keys of "dev" are missing: /),
  })
})

test('trims logs that have grown too large, also of a running plane', async () => {
  await using machine = fakeMachine()
  const record = await start(machine, await machine.add('dev'))
  const log = machine.folder('dev').logOf('kube-apiserver')
  appendFileSync(log, 'x\n'.repeat(5 * 1024 * 1024))

  await start(machine, record)

  expect(statSync(log).size).toBeLessThanOrEqual(1024 * 1024)
})

test('starts two planes at once', async () => {
  await using machine = fakeMachine()
  const records = [await machine.add('a'), await machine.add('b')]

  await Promise.all(records.map((record) => start(machine, record)))

  expect(readProcessRecord(machine.folder('a').processOf('etcd'))).toBeDefined()
  expect((await machine.starts(6)).toSorted()).toEqual(
    [...COMPONENT_NAMES, ...COMPONENT_NAMES].toSorted(),
  )
})

function start(
  { context, operation }: FakeMachine,
  record: PlaneRecord,
  { signal = operation.signal, wait = true }: { signal?: AbortSignal; wait?: boolean } = {},
): Promise<PlaneRecord> {
  return startPlane(context, record, { operation: { ...operation, signal }, wait })
}

async function kill({ operation, table }: FakeMachine, processId = 0): Promise<void> {
  const process = { processId, startTime: table.startTimeOf(processId) ?? '' }
  await endProcesses([process], { table, signal: operation.signal, graceMs: 0 })
}

function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  )
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}
