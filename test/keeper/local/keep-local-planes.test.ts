import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import { keepLocalPlanes } from '../../../src/keeper/local/keep-local-planes.ts'
import { tryFileLock } from '../../../src/shared/files/file-lock.ts'
import { isFree, isListening } from '../../../src/shared/network/ports.ts'
import { fakeMachine } from '../../drivers/local/fake-machine.ts'
import { FakePlaneApi } from '../../support/api/fake-plane-api.ts'

const since = new Date('2026-06-01T12:00:00Z')

test('leaves the ports of paused planes before another keeper can follow', async () => {
  await using machine = fakeMachine()
  machine.context.sharesPorts = false
  const { driver, operation, root } = machine
  const userSpec = { idle: '30m' }
  const request = { name: 'dev', userSpec, spec: resolveSpec(userSpec), wait: true }
  const plane = await driver.create(request, operation)
  await driver.pause(plane, operation, { idle: { since, isStill: async () => true } })
  const port = Number(new URL((await driver.endpoint(plane)).server).port)
  const lock = join(root, 'lock')
  const stop = new AbortController()
  const unused = () => {
    throw new Error('no snapshots')
  }
  const keeping = keepLocalPlanes({
    driver,
    openApi: () => new FakePlaneApi(),
    snapshots: {
      get local() {
        return unused()
      },
      storeOf: unused,
    },
    root: join(root, 'data'),
    log: () => {},
    takeTurn: async () => tryFileLock(lock),
    sharesPorts: false,
    signal: stop.signal,
  })
  await expect.poll(() => isListening(port)).toBe(true)

  stop.abort()
  let follows = tryFileLock(lock)
  while (follows === undefined) {
    await setImmediate()
    follows = tryFileLock(lock)
  }

  expect(await isFree(port)).toBe(true)
  await follows[Symbol.asyncDispose]()
  await keeping
})
