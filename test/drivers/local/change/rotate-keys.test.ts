import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { COMPONENT_NAMES, type Plane } from '../../../../src/control-plane/plane/plane.ts'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import {
  ROTATION_STAGES,
  type RotationStage,
} from '../../../../src/control-plane/rotation/rotation.ts'
import { readPki } from '../../../../src/drivers/local/certificates/pki-files.ts'
import { begin, PENDING_FILE } from '../../../../src/pki/rotation/pending-rotation.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { type FakeMachine, fakeMachine } from '../fake-machine.ts'

const KEYS = 'service-account-key'
const ENCRYPTED = { encryption: { secrets: true } }
const WAITS = 'Waiting for another vplane that works on "dev"'

let machine: FakeMachine
let plane: Plane

beforeEach(async () => {
  machine = fakeMachine()
  const request = { name: 'dev', userSpec: {}, spec: resolveSpec({}), wait: true }
  plane = await machine.driver.create(request, machine.operation)
  await machine.age('dev')
  return () => machine[Symbol.asyncDispose]()
})

test.for([
  ['prepare', ['kube-apiserver']],
  ['switch', ['kube-apiserver', 'kube-controller-manager']],
  ['complete', ['kube-apiserver']],
] as const)('restarts in %s only what reads other keys', async ([stage, components]) => {
  for (const earlier of ROTATION_STAGES.slice(0, ROTATION_STAGES.indexOf(stage))) {
    await rotate(earlier)
  }
  await machine.age('dev')
  const before = machine.processIds('dev')

  await rotate(stage)

  const after = machine.processIds('dev')
  const changed = COMPONENT_NAMES.filter((name) => before[name] !== after[name])
  expect(changed).toEqual(components)
  expect(existsSync(inPki(PENDING_FILE))).toBe(false)
})

test('writes and stops nothing when a program is missing', async () => {
  const before = [machine.processIds('dev'), await readPki(machine.folder('dev').pki)]
  const missing = new VplaneError('FAILED', 'a program is missing')
  machine.context.findBinaries = () => Promise.reject(missing)

  expect(await rejectionOf(rotate('prepare'))).toBe(missing)
  expect([machine.processIds('dev'), await readPki(machine.folder('dev').pki)]).toEqual(before)
})

test('continues an interrupted stage, and refuses others before', async () => {
  const before = Object.fromEntries(
    ['sa.key', 'sa.pub'].map((name) => [name, readFileSync(inPki(name), 'utf8')]),
  )
  const begun = begin(before, { ...before, 'next/sa.key': 'x' }, { keys: KEYS, stage: 'prepare' })
  writeFileSync(inPki(PENDING_FILE), begun[PENDING_FILE] ?? '')
  const found = await rotation()

  const error = await rejectionOf(rotate('switch'))
  const { message } = await rejectionOf(
    machine.driver.certificates.renewLeaves(plane, machine.operation),
  )
  await rotate('prepare')

  expect(error.message).toContain('another vplane has continued the rotation')
  expect(message).toBe('the rotation of the key of ServiceAccount tokens of "dev" was interrupted')
  expect(found).toEqual({ taken: 'prepare', unfinished: { keys: KEYS, stage: 'prepare' } })
  expect(readFileSync(inPki('next/sa.key'), 'utf8')).toBe('x')
  expect(await rotation()).toEqual({ taken: 'prepare' })
})

test('continues after a component could not run', async () => {
  machine.script('kube-apiserver', 'die no key')
  const error = await rejectionOf(rotate('prepare'))
  const after = await rotation()
  machine.script('kube-apiserver', 'serve')

  await rotate('prepare')

  expect(error.code).toBe('COMPONENT_FAILED')
  expect(after.unfinished).toEqual({ keys: KEYS, stage: 'prepare' })
  expect(await rotation()).toEqual({ taken: 'prepare' })
})

test('accepts only the next stage', async () => {
  const keys = 'encryption-key'
  const other = { name: 'other', userSpec: ENCRYPTED, spec: resolveSpec(ENCRYPTED), wait: true }
  const encrypted = await machine.driver.create(other, machine.operation)
  const { pki } = machine.folder('other')
  const take = (stage: RotationStage) =>
    machine.driver.certificates.rotate(encrypted, { keys, stage }, machine.operation)

  for (const next of ROTATION_STAGES) {
    const before = await readPki(pki)
    for (const stage of ROTATION_STAGES.filter((one) => one !== next)) {
      const { code, message } = await rejectionOf(take(stage))
      expect([code, message]).toEqual(['FAILED', expect.stringContaining('has continued')])
    }
    expect(await readPki(pki)).toEqual(before)
    await take(next)
  }
  expect(await machine.driver.certificates.rotation(encrypted, keys)).toEqual({})
})

test('holds the plane from the check of the old key until the end', async () => {
  await rotate('prepare')
  await rotate('switch')
  let later: Promise<unknown> | undefined
  const untilSafe = async () => {
    later = rejectionOf(rotate('complete'))
    await expect.poll(() => machine.ui.steps).toContain(WAITS)
  }

  const request = { keys: KEYS, stage: 'complete', untilSafe } as const
  await machine.driver.certificates.rotate(plane, request, machine.operation)

  expect(await later).toMatchObject({ code: 'FAILED' })
  expect(await rotation()).toEqual({})
})

function rotation() {
  return machine.driver.certificates.rotation(plane, KEYS)
}

function rotate(stage: RotationStage): Promise<void> {
  return machine.driver.certificates.rotate(plane, { keys: KEYS, stage }, machine.operation)
}

function inPki(name: string): string {
  return join(machine.folder('dev').pki, name)
}
