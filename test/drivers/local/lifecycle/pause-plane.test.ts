import { existsSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isListening } from '../../../../src/shared/network/ports.ts'
import { startPlane } from '../../../../src/drivers/local/lifecycle/start-plane.ts'
import { toPlane } from '../../../../src/drivers/local/store/plane-record.ts'
import { pausePlane } from '../../../../src/drivers/local/lifecycle/pause-plane.ts'
import { waitFor } from '../../../../src/shared/wait.ts'
import { fakeMachine } from '../fake-machine.ts'
import { startPlaneProcess, startProcess } from '../guard/stored-plane.ts'

test('stops components in the reverse order of their start, and changes nothing else', async () => {
  await using machine = fakeMachine()
  const { context, operation, store, ui } = machine
  const record = await startPlane(context, await machine.add('dev'), { operation, wait: true })
  await waitFor(() => isListening(record.ports.controllerManager), {
    what: 'kube-controller-manager',
    timeoutMs: 5000,
  })

  await pausePlane(context, record, operation)

  expect((await machine.starts(6)).slice(3)).toEqual([
    'kube-controller-manager stopped',
    'kube-apiserver stopped',
    'etcd stopped',
  ])
  expect(ui.steps.slice(-3)).toEqual([
    'Stopping kube-controller-manager',
    'Stopping kube-apiserver',
    'Stopping etcd',
  ])
  expect((await store.find('dev'))?.record).toEqual({ ...record, desired: 'paused' })
  expect(readdirSync(machine.folder('dev').processes)).toEqual([])
  expect(existsSync(machine.folder('dev').etcdData)).toBe(true)
})

test('also ends processes without a record', async () => {
  await using machine = fakeMachine()
  const { context, operation, store, table } = machine
  const record = await machine.add('dev')
  const stray = await startPlaneProcess(store, 'dev')

  await pausePlane(context, record, operation)

  expect(table.startTimeOf(stray)).toBeUndefined()
})

test('does not end other programs that use files of a plane', async () => {
  await using machine = fakeMachine()
  const { context, operation, table } = machine
  const record = await machine.add('dev')
  const { etcdData, pki } = machine.folder('dev')
  const others = [
    await startProcess('etcdctl', 'snapshot', 'save', `--cacert=${pki}/etcd/ca.crt`),
    await startProcess('etcdutl', 'snapshot', 'restore', `--data-dir=${etcdData}-2`),
  ]

  await pausePlane(context, record, operation)

  expect(others.map((processId) => table.startTimeOf(processId))).not.toContain(undefined)
})

test('accepts a paused plane', async () => {
  await using machine = fakeMachine()
  const record = await machine.add('dev')

  await pausePlane(machine.context, record, machine.operation)
  await pausePlane(machine.context, record, machine.operation)

  expect((await machine.store.find('dev'))?.record).toMatchObject({ desired: 'paused' })
})

test.for([
  ['was used meanwhile', {}, false],
  ['someone has paused', { desired: 'paused' }, true],
  ['is not finished', { isBootstrapped: false }, true],
  ['is half restored', { restoring: { former: 'x', keepFormer: false } }, true],
] as const)('does not pause an idle plane that %s', async ([, fields, isIdle]) => {
  await using machine = fakeMachine()
  const record = await machine.add('dev', { isBootstrapped: true, ...fields })
  const idle = { since: new Date(), isStill: () => Promise.resolve(isIdle) }

  await pausePlane(machine.context, record, { ...machine.operation, idle })

  expect((await machine.store.find('dev'))?.record).toEqual(record)
})

test('records since when an idle plane is unused, and continues its pause', async () => {
  await using machine = fakeMachine()
  const since = new Date('2026-06-01T12:00:00Z')
  const record = await machine.add('dev', {
    isBootstrapped: true,
    desired: 'paused',
    idleSince: since.toISOString(),
  })
  const stray = await startPlaneProcess(machine.store, 'dev')
  const idle = { since, isStill: () => Promise.resolve(false) }

  await pausePlane(machine.context, record, { ...machine.operation, idle })

  expect(machine.table.startTimeOf(stray)).toBeUndefined()
  expect((await machine.driver.status(toPlane(record))).reason).toContain(since.toISOString())
})
