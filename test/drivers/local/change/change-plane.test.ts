import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { stepText } from '../../../../src/cli/catalog/step-text.ts'
import { changedSpec } from '../../../../src/control-plane/changes/changed-spec.ts'
import type { Plane } from '../../../../src/control-plane/plane/plane.ts'
import { specsOf } from '../../../../src/control-plane/spec/plane-specs.ts'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import type { PlaneRecord } from '../../../../src/drivers/local/store/plane-record.ts'
import { apiServerSans, hasExactSans } from '../../../../src/pki/plane/server-sans.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { type FakeMachine, fakeMachine } from '../fake-machine.ts'

const V4: UserSpec = { apiServer: { extraArgs: { v: '4' } } }

let machine: FakeMachine
let plane: Plane

beforeEach(async () => {
  machine = fakeMachine()
  const request = { name: 'dev', userSpec: {}, spec: resolveSpec({}), wait: true }
  plane = await machine.driver.create(request, machine.operation)
  await machine.age('dev')
  return () => machine[Symbol.asyncDispose]()
})

test('restarts the component whose flags differ, and no other', async () => {
  const before = machine.processIds('dev')

  expect(await plan(plane, V4)).toEqual(['restart kube-apiserver'])
  const changed = await change(plane, V4)

  const { 'kube-apiserver': old, ...others } = before
  expect(machine.processIds('dev')).toMatchObject(others)
  expect(machine.processIds('dev')['kube-apiserver']).not.toBe(old)
  expect(changed).toMatchObject({ userSpec: V4, spec: { apiServer: V4.apiServer } })
  expect(await plan(changed, V4)).toEqual([])
})

test('also restarts a kube-controller-manager that has just been started', async () => {
  const first: UserSpec = { controllerManager: { extraArgs: { v: '4' } } }
  const changed = await change(plane, first)
  const before = machine.processIds('dev')

  await change(changed, { ...first, ...V4 })

  const after = machine.processIds('dev')
  expect(after['kube-controller-manager']).not.toBe(before['kube-controller-manager'])
  expect(Object.keys(after)).toEqual(Object.keys(before))
})

test('restarts nothing for other labels', async () => {
  const labelled: UserSpec = { labels: { team: 'shop' } }
  const before = machine.processIds('dev')

  expect(await plan(plane, labelled)).toEqual([])
  const changed = await change(plane, labelled)

  expect(machine.processIds('dev')).toEqual(before)
  expect(changed.userSpec).toEqual(labelled)
})

test('continues a change that was interrupted after its first step', async () => {
  await updateRecord(specsOf(changedSpec(plane, V4)))
  const half = await current()

  expect(await plan(half, V4)).toEqual(['restart kube-apiserver'])
  await change(half, V4)

  expect(await plan(half, V4)).toEqual([])
})

test('finishes a change that was interrupted when all components had the new spec', async () => {
  const update = machine.store.update.bind(machine.store)
  // The last step records the vplane that has made it.
  machine.store.update = (record) =>
    record.madeBy === undefined
      ? update(record)
      : Promise.reject(new VplaneError('ABORTED', 'killed'))
  await rejectionOf(change(plane, V4))
  machine.store.update = update

  expect(await plan(await current(), V4)).toEqual(['finish the interrupted change'])
  await change(await current(), V4)

  expect(await plan(await current(), V4)).toEqual([])
  expect(await current()).not.toHaveProperty('unfinished')
})

test('does not change a plane with an interrupted restore', async () => {
  const before = machine.processIds('dev')
  await updateRecord({ restoring: { former: 'x', keepFormer: false } })

  const error = await rejectionOf(change(plane, V4))

  expect(error).toMatchObject({ code: 'FAILED', message: 'a restore of "dev" was interrupted' })
  expect(machine.processIds('dev')).toEqual(before)
})

test('reports why a component cannot run with its new flags, and accepts a correction', async () => {
  machine.script('kube-apiserver', 'die unknown flag: --v')

  const error = await rejectionOf(change(plane, V4))
  machine.script('kube-apiserver', 'serve')
  const mended = await change(await current(), {})

  expect(error.code).toBe('COMPONENT_FAILED')
  expect(error.message).toContain('unknown flag: --v')
  expect(Object.keys(machine.processIds('dev'))).toHaveLength(3)
  expect(mended.userSpec).toEqual({})
})

test('issues the certificate of the API again for other names, without a restart', async () => {
  const before = machine.processIds('dev')
  const wanted = { extraSans: ['api.test'] }

  expect(await plan(plane, wanted)).toEqual(['issue the certificate of its API again'])
  const { spec } = await change(plane, wanted)

  const certificate = readFileSync(join(machine.folder('dev').pki, 'apiserver.crt'), 'utf8')
  expect(hasExactSans(certificate, apiServerSans(spec))).toBe(true)
  expect(machine.processIds('dev')).toEqual(before)
})

test('changes a paused plane when it starts', async () => {
  await machine.driver.pause(plane, machine.operation)

  const changed = await change({ ...plane, desired: 'paused' }, V4)
  const idle = machine.processIds('dev')
  await machine.driver.start(changed, machine.operation)

  expect(idle).toEqual({})
  expect(await plan(changed, V4)).toEqual([])
})

test('refuses a change of a plane that someone else has changed since', async () => {
  await change(plane, V4)
  const before = machine.processIds('dev')
  const wanted: UserSpec = { controllerManager: { extraArgs: { v: '4' } } }

  const errors = [await rejectionOf(plan(plane, wanted)), await rejectionOf(change(plane, wanted))]
  const same = await change(plane, V4)

  const refusal = { code: 'CONFLICT', message: '"dev" was changed meanwhile' }
  expect(errors).toMatchObject([refusal, refusal])
  expect(await current()).toMatchObject({ userSpec: V4 })
  expect(machine.processIds('dev')).toEqual(before)
  expect(same.userSpec).toEqual(V4)
})

async function updateRecord(fields: Partial<PlaneRecord>): Promise<void> {
  const stored = await machine.store.find('dev')
  expect.assert(stored !== undefined && 'spec' in stored.record)
  await machine.store.update({ ...stored.record, ...fields })
}

/** The stored plane. */
async function current(): Promise<Plane> {
  const [found] = await machine.driver.find('dev')
  expect.assert(found !== undefined && 'spec' in found)
  return found
}

async function plan(plane: Plane, wanted: UserSpec): Promise<string[]> {
  return (await machine.driver.plan(plane, changedSpec(plane, wanted))).steps.map(stepText)
}

function change(plane: Plane, wanted: UserSpec): Promise<Plane> {
  return machine.driver.change(plane, changedSpec(plane, wanted), machine.operation)
}
