import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { COMPONENT_NAMES, type ComponentName } from '../../../../src/control-plane/plane/plane.ts'
import { endProcesses } from '../../../../src/shared/processes/end-processes.ts'
import type { ProcessRecord } from '../../../../src/shared/processes/launch/process-record.ts'
import { startPlane } from '../../../../src/drivers/local/lifecycle/start-plane.ts'
import { planeStatus } from '../../../../src/drivers/local/status/plane-status.ts'
import { pausePlane } from '../../../../src/drivers/local/lifecycle/pause-plane.ts'
import type { PlaneRecord } from '../../../../src/drivers/local/store/plane-record.ts'
import { type FakeMachine, fakeMachine } from '../fake-machine.ts'

let machine: FakeMachine
let record: PlaneRecord

beforeEach(async () => {
  machine = fakeMachine()
  record = await machine.add('dev')
  return () => machine[Symbol.asyncDispose]()
})

test('reports a running plane as ready, with its components', async () => {
  await start()

  const status = await statusNow()

  expect(status).toMatchObject({
    phase: 'Ready',
    server: `https://127.0.0.1:${record.ports.apiServer}`,
    components: [
      { name: 'etcd', state: 'running', address: `127.0.0.1:${record.ports.etcdClient}` },
      { name: 'kube-apiserver', instance: expect.stringMatching(/^pid \d+$/) },
      { name: 'kube-controller-manager', startedAt: expect.any(Date) },
    ],
  })
  const days = ((status.certificatesExpireAt?.getTime() ?? 0) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(300)
})

test('reports a paused plane as paused', async () => {
  await start()
  await pausePlane(machine.context, record, machine.operation)

  const status = await statusNow({ desired: 'paused' })

  expect(status.phase).toBe('Paused')
  expect(status.components.map(({ state }) => state)).toEqual(['stopped', 'stopped', 'stopped'])
})

test('reports a plane that is to be paused and runs as not ready', async () => {
  await start()

  const status = await statusNow({ desired: 'paused' })

  expect(status).toMatchObject({
    phase: 'NotReady',
    reason: 'it is to be paused, and components still run',
  })
})

test('reports a plane without processes as stopped, as after a reboot', async () => {
  await start()
  await kill(...COMPONENT_NAMES)

  expect(await statusNow()).toMatchObject({
    phase: 'Stopped',
    hints: [{ action: 'resume', plane: { name: 'dev' } }],
  })
})

test.for(COMPONENT_NAMES)('says that %s has ended, however young the plane is', async (name) => {
  await start()
  writeFileSync(machine.folder('dev').logOf(name), 'panic: out of cheese\n')
  await kill(name)

  const status = await statusNow()

  expect(status).toMatchObject({ phase: 'NotReady', reason: `${name} ended: panic: out of cheese` })
  expect(status.components.find((component) => component.name === name)).toMatchObject({
    state: 'failed',
    reason: 'ended: panic: out of cheese',
  })
})

test('reports a kube-controller-manager that runs but does not answer', async () => {
  await start()
  const path = machine.folder('dev').processOf('kube-controller-manager')
  const written: ProcessRecord = JSON.parse(readFileSync(path, 'utf8'))

  writeFileSync(path, JSON.stringify({ ...written, startedAt: '2026-01-01T00:00:00Z' }))
  await expect.poll(async () => (await statusNow()).phase, { timeout: 5000 }).toBe('Ready')
  process.kill(written.processId, 'SIGSTOP')

  expect(await statusNow()).toMatchObject({
    phase: 'NotReady',
    reason: 'kube-controller-manager does not answer',
    components: expect.arrayContaining([
      expect.objectContaining({ state: 'failed', instance: `pid ${written.processId}` }),
    ]),
  })
})

test('reports a plane whose last component is not started yet as starting', async () => {
  await start()
  await kill('kube-controller-manager')
  rmSync(machine.folder('dev').processOf('kube-controller-manager'))

  expect(await statusNow()).toMatchObject({
    phase: 'Starting',
    reason: 'kube-controller-manager is not started yet',
  })
})

test('reports a plane whose API does not answer yet as starting', async () => {
  machine.script('kube-apiserver', 'idle')
  await start({ wait: false })

  const reason = 'the API does not answer'
  expect(await statusNow()).toMatchObject({ phase: 'Starting', reason })
})

test('reports a plane whose creation is unfinished as creating', async () => {
  expect(await statusNow()).toMatchObject({
    phase: 'Creating',
    reason: 'not finished yet',
    hints: [{ purpose: 'to continue', action: 'create', plane: { name: 'dev' } }],
  })
})

test('has a status for a plane whose certificates are damaged or missing', async () => {
  await start()
  const { pki } = machine.folder('dev')
  writeFileSync(join(pki, 'apiserver.crt'), 'not a certificate')

  const damaged = await statusNow()
  rmSync(pki, { recursive: true })
  const gone = await statusNow()

  expect(damaged.phase).toBe('Ready')
  expect(damaged.certificatesExpireAt).toBeInstanceOf(Date)
  expect(gone.reason).toBe('the API does not answer')
  expect(gone.certificatesExpireAt).toBeUndefined()
})

async function start({ wait = true } = {}): Promise<void> {
  const { context, operation } = machine
  record = await startPlane(context, record, { operation, wait })
}

function statusNow(changed: Partial<PlaneRecord> = {}) {
  return planeStatus(machine.context, { ...record, ...changed })
}

async function kill(...names: readonly ComponentName[]): Promise<void> {
  const { operation, table } = machine
  const ids = machine.processIds('dev')
  const processes = names.map((name) => {
    const processId = ids[name] ?? 0
    return { processId, startTime: table.startTimeOf(processId) ?? '' }
  })
  await endProcesses(processes, { table, signal: operation.signal, graceMs: 0 })
}
