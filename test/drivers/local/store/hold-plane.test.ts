import { existsSync, writeFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { changedSpec } from '../../../../src/control-plane/changes/changed-spec.ts'
import { isReadable } from '../../../../src/control-plane/plane/unreadable-plane.ts'
import type { Plane } from '../../../../src/control-plane/plane/plane.ts'
import { specsOf } from '../../../../src/control-plane/spec/plane-specs.ts'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { type FakeMachine, fakeMachine } from '../fake-machine.ts'

const V4: UserSpec = { apiServer: { extraArgs: { v: '4' } } }
const TO_RESUME = { purpose: 'to continue', action: 'resume', plane: { name: 'dev' } }

let machine: FakeMachine
let plane: Plane

beforeEach(async () => {
  machine = fakeMachine()
  const request = { name: 'dev', userSpec: {}, spec: resolveSpec({}), wait: true }
  plane = await machine.driver.create(request, machine.operation)
  return () => machine[Symbol.asyncDispose]()
})

test('tells which operation works on a plane, and at which step', async () => {
  const { driver, operation, ui } = machine
  const seen: unknown[] = []
  const step = ui.step.bind(ui)
  const looks: Array<Promise<void>> = []
  ui.step = (text) => {
    step(text)
    looks.push(driver.status(plane).then((status) => void seen.push(status)))
  }

  await driver.change(plane, changedSpec(plane, V4), operation)
  await Promise.all(looks)

  expect(seen.at(-1)).toMatchObject({ operation: { kind: 'change', isInterrupted: false } })
  expect(await driver.status(plane)).not.toHaveProperty('operation')
  expect(existsSync(machine.folder('dev').operation)).toBe(false)
})

test('a start continues an interrupted change, and certificates wait for it', async () => {
  const { driver, operation } = machine
  await interruptChange()

  const { operation: shown } = await driver.status(plane)
  const [listed] = await driver.find('dev')
  const refused = await rejectionOf(driver.certificates.renewLeaves(plane, operation))
  const before = machine.processIds('dev')
  await driver.start(plane, operation)

  expect(shown).toMatchObject({ kind: 'change', isInterrupted: true, hints: [TO_RESUME] })
  expect(shown?.step).toMatch(/\w/)
  expect(listed).toMatchObject({ unfinished: ['change'] })
  expect(refused.message).toBe('a change of the spec of "dev" was interrupted')
  expect(machine.processIds('dev')['kube-apiserver']).not.toBe(before['kube-apiserver'])
  expect(await driver.plan(await current(), changedSpec(await current(), V4))).toEqual({
    steps: [],
    objects: [],
  })
  expect(await driver.status(plane)).not.toHaveProperty('operation')
})

test('an interrupted change is shown again when a pause after it has ended', async () => {
  const { driver, operation } = machine
  await interruptChange()

  await driver.pause(plane, operation)

  expect((await driver.status(plane)).operation).toMatchObject({ kind: 'change' })
  await driver.start(plane, operation)
  expect(await driver.status(plane)).not.toHaveProperty('operation')
})

test('what was interrupted and leaves nothing is forgotten when another operation ends well', async () => {
  const { driver, operation } = machine
  machine.script('kube-apiserver', 'die no luck')
  await driver.pause(plane, operation)
  await rejectionOf(driver.start(plane, operation))
  machine.script('kube-apiserver', 'serve')

  expect((await driver.status(plane)).operation).toMatchObject({
    kind: 'start',
    hints: [TO_RESUME],
  })
  expect(await current()).not.toHaveProperty('unfinished')
  await driver.pause(plane, operation)

  expect(await driver.status(plane)).not.toHaveProperty('operation')
})

test('records nothing for a change that is refused, and ignores a damaged record', async () => {
  const { driver, operation } = machine
  const stale = changedSpec(plane, V4)
  const changed = await driver.change(plane, changedSpec(plane, { labels: { a: 'b' } }), operation)

  await rejectionOf(driver.change(changed, stale, operation))
  expect(await driver.status(plane)).not.toHaveProperty('operation')
  writeFileSync(machine.folder('dev').operation, '{')

  expect(await driver.status(plane)).not.toHaveProperty('operation')
})

/** As a change that was killed when it had stored the spec. */
async function interruptChange(): Promise<void> {
  const { driver, operation } = machine
  const update = machine.store.update.bind(machine.store)
  machine.store.update = async (record) => {
    await update({ ...record, ...specsOf(changedSpec(plane, V4)) })
    throw new VplaneError('ABORTED', 'killed')
  }
  await rejectionOf(driver.change(plane, changedSpec(plane, V4), operation))
  machine.store.update = update
}

async function current(): Promise<Plane> {
  const [found] = await machine.driver.find('dev')
  expect.assert(found !== undefined && isReadable(found))
  return found
}
