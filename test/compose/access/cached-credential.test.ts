import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accessPathOf } from '../../../src/compose/access/access-path.ts'
import { cachedCredential } from '../../../src/compose/access/cached-credential.ts'
import { COMPONENT_NAMES, type Plane } from '../../../src/control-plane/plane/plane.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import { renewAccess } from '../../../src/control-plane/use-cases/access/access.ts'
import { accessFiles } from '../../../src/kubeconfig/plugin/access-file.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { type FakeMachine, fakeMachine } from '../../drivers/local/fake-machine.ts'

const HOUR_MS = 3_600_000

let machine: FakeMachine
let plane: Plane
let data: string

beforeEach(async () => {
  machine = fakeMachine()
  data = join(machine.root, 'data')
  const request = { name: 'dev', userSpec: {}, spec: resolveSpec({}), wait: true }
  plane = await machine.driver.create(request, machine.operation)
  const accesses = accessFiles((reference) => accessPathOf(data, reference))
  await renewAccess({ accesses, now: () => new Date() }, { driver: machine.driver, plane })
})
afterEach(() => machine[Symbol.asyncDispose]())

test('is the same for a plane that runs, until four fifths of its life are over', async () => {
  const first = await kept()
  const second = await kept(18 * HOUR_MS)

  expect(first).toMatchObject(await machine.driver.endpoint(plane))
  expect(second).toEqual(first)
  expect(await kept(20 * HOUR_MS)).toBeUndefined()
})

test.for(COMPONENT_NAMES)('is not handed out while %s does not run', async (component) => {
  process.kill(machine.processIds('dev')[component] ?? 0, 'SIGKILL')

  await waitFor(async () => (await kept()) === undefined, {
    what: 'the end of the component',
    timeoutMs: 5000,
  })
})

test('is not returned for a plane that is paused or was deleted', async () => {
  await machine.driver.pause(plane, machine.operation)
  expect(await kept()).toBeUndefined()

  await machine.driver.remove(plane, machine.operation)
  expect(await kept()).toBeUndefined()
})

test('is not returned when none is stored', async () => {
  await rm(accessPathOf(data, plane))

  expect(await kept()).toBeUndefined()
})

function kept(afterMs = 0) {
  return cachedCredential({ data }, { name: 'dev', now: new Date(Date.now() + afterMs) })
}
