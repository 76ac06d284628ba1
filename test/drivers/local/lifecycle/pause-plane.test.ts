import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, test } from 'vitest'
import { isListening } from '../../../../src/shared/network/ports.ts'
import { startPlane } from '../../../../src/drivers/local/lifecycle/start-plane.ts'
import { toPlane } from '../../../../src/drivers/local/store/plane-record.ts'
import { pausePlane } from '../../../../src/drivers/local/lifecycle/pause-plane.ts'
import { type FakeMachine, fakeMachine } from '../fake-machine.ts'
import { startPlaneProcess, startProcess } from '../guard/stored-plane.ts'

let machine: FakeMachine

beforeEach(() => {
  machine = fakeMachine()
  return () => machine[Symbol.asyncDispose]()
})

test('stops components in the reverse order of their start, and changes nothing else', async () => {
  const { context, operation, store, ui } = machine
  const record = await startPlane(context, await machine.add('dev'), { operation, wait: true })
  await expect.poll(() => isListening(record.ports.controllerManager)).toBe(true)

  await pausePlane(context, record, operation)

  const names = ['kube-controller-manager', 'kube-apiserver', 'etcd']
  expect((await machine.starts(6)).slice(3)).toEqual(names.map((name) => `${name} stopped`))
  expect(ui.steps.slice(-3)).toEqual(names.map((name) => `Stopping ${name}`))
  expect((await store.find('dev'))?.record).toEqual({ ...record, desired: 'paused' })
  expect(readdirSync(machine.folder('dev').processes)).toEqual([])
  expect(existsSync(machine.folder('dev').etcdData)).toBe(true)
})

test('also ends processes without a record', async () => {
  const { context, operation, store, table } = machine
  const record = await machine.add('dev')
  const stray = await startPlaneProcess(store, 'dev')

  await pausePlane(context, record, operation)

  expect(table.startTimeOf(stray)).toBeUndefined()
})

test('does not end other programs that use files of a plane', async () => {
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
  const record = await machine.add('dev', { isBootstrapped: true, ...fields })
  const idle = { since: new Date(), isStill: () => Promise.resolve(isIdle) }

  await pausePlane(machine.context, record, { ...machine.operation, idle })

  expect((await machine.store.find('dev'))?.record).toEqual(record)
})

test('records since when an idle plane is unused, and continues its pause', async () => {
  const since = new Date('2026-06-01T12:00:00Z')
  const fields = {
    isBootstrapped: true,
    desired: 'paused',
    idleSince: since.toISOString(),
  } as const
  const record = await machine.add('dev', fields)
  const stray = await startPlaneProcess(machine.store, 'dev')
  const idle = { since, isStill: () => Promise.resolve(false) }

  await pausePlane(machine.context, record, { ...machine.operation, idle })

  expect(machine.table.startTimeOf(stray)).toBeUndefined()
  expect((await machine.driver.status(toPlane(record))).reason).toContain(since.toISOString())
})

test('keeps of a paused plane no more than a mebibyte of each log, and no zeros of the log of etcd', async () => {
  const record = await machine.add('dev')
  const { etcdData, logOf, logs } = machine.folder('dev')
  const log = join(etcdData, 'member/wal/0000000000000000-0000000000000000.wal')
  mkdirSync(join(etcdData, 'member/wal'), { recursive: true })
  mkdirSync(logs, { recursive: true })
  writeFileSync(log, Buffer.alloc(2_000_000))
  writeFileSync(logOf('etcd'), 'x\n'.repeat(1_000_000))

  await pausePlane(machine.context, record, machine.operation)

  expect(statSync(log)).toMatchObject({ blocks: 0, size: 2_000_000 })
  expect(statSync(logOf('etcd')).size).toBeLessThanOrEqual(1024 * 1024)
  expect(machine.ui.warnings).toEqual([])
})

test('pauses a plane whose disk space cannot be freed, with a warning', async () => {
  const record = await machine.add('dev')
  const wal = join(machine.folder('dev').etcdData, 'member/wal')
  mkdirSync(wal, { recursive: true })
  using holder = new DatabaseSync(join(wal, '0.tmp'))
  holder.exec('BEGIN EXCLUSIVE')

  await pausePlane(machine.context, record, machine.operation)

  expect((await machine.store.find('dev'))?.record).toMatchObject({ desired: 'paused' })
  expect(machine.ui.warnings).toEqual([
    `the disk space that "dev" does not use cannot be freed: another program uses "${wal}/0.tmp"`,
  ])
})
