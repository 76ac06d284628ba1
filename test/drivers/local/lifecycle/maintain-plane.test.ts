import { X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { startPlane } from '../../../../src/drivers/local/lifecycle/start-plane.ts'
import { maintainPlane } from '../../../../src/drivers/local/lifecycle/maintain-plane.ts'
import type { PlaneRecord } from '../../../../src/drivers/local/store/plane-record.ts'
import { type FakeMachine, fakeMachine } from '../fake-machine.ts'

const DAY_MS = 86_400_000

let machine: FakeMachine
let record: PlaneRecord

beforeEach(async () => {
  machine = fakeMachine()
  const { context, operation } = machine
  record = await startPlane(context, await machine.add('dev'), { operation, wait: true })
  return () => machine[Symbol.asyncDispose]()
})

test('does not renew certificates before their last 90 days', async () => {
  const before = certificates()

  await maintain(270)

  expect(certificates()).toEqual(before)
})

test('renews leaf certificates in their last 90 days, and no authority', async () => {
  const before = certificates()

  await maintain(300)

  const after = certificates()
  const changed = Object.keys(before).filter((name) => before[name] !== after[name])
  expect(changed).toEqual(expect.arrayContaining(['apiserver.crt', 'etcd/server.crt']))
  expect(changed.filter((name) => /(^|\/|-)ca\.crt$/.test(name))).toEqual([])
  for (const name of changed) {
    const { validToDate } = new X509Certificate(after[name] ?? '')
    expect(validToDate.getTime()).toBeGreaterThan(Date.now() + 600 * DAY_MS)
    expect(statSync(join(machine.folder('dev').pki, name)).mode & 0o777).toBe(0o600)
  }
})

test('does not renew certificates of another plane that has the name now', async () => {
  const before = certificates()
  record = { ...record, id: 'of the plane before' }

  await maintain(300)

  expect(certificates()).toEqual(before)
})

test('runs at a start too', async () => {
  const before = certificates()
  const now = () => new Date(Date.now() + 300 * DAY_MS)
  process.kill(machine.processIds('dev').etcd ?? 0, 'SIGKILL')
  await expect.poll(() => machine.processIds('dev').etcd).toBeUndefined()

  const { context, operation } = machine
  await startPlane({ ...context, now }, record, { operation, wait: true })

  expect(certificates()['apiserver.crt']).not.toBe(before['apiserver.crt'])
})

test('leaves failures to the next status', async () => {
  const { pki } = machine.folder('dev')
  rmSync(join(pki, 'ca.key'))

  await expect(maintain(300)).resolves.not.toThrow()
  rmSync(pki, { recursive: true })
  await expect(maintain(300)).resolves.not.toThrow()
})

function maintain(days: number): Promise<unknown> {
  const now = () => new Date(Date.now() + days * DAY_MS)
  return maintainPlane({ ...machine.context, now }, record)
}

function certificates(): Record<string, string> {
  const { pki } = machine.folder('dev')
  const names = readdirSync(pki, { recursive: true, encoding: 'utf8' })
  return Object.fromEntries(
    names
      .filter((name) => name.endsWith('.crt'))
      .map((name) => [name, readFileSync(join(pki, name), 'utf8')]),
  )
}
