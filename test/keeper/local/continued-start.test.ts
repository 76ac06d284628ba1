import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import { isReadable } from '../../../src/control-plane/plane/unreadable-plane.ts'
import { COMPONENT_NAMES } from '../../../src/control-plane/plane/plane.ts'
import { StandIns } from '../../../src/keeper/local/stand-ins.ts'
import { fakeMachine } from '../../drivers/local/fake-machine.ts'
import { FakePlaneApi } from '../../support/api/fake-plane-api.ts'

const since = new Date('2026-06-01T12:00:00Z')

test('a plane whose start ended with its keeper has all components once another keeper runs', async () => {
  await using machine = fakeMachine()
  machine.context.sharesPorts = false
  const { driver, operation } = machine
  const spec = resolveSpec({ idle: '30m' })
  const request = { name: 'dev', userSpec: { idle: '30m' }, spec, wait: true }
  const plane = await driver.create(request, operation)
  await driver.pause(plane, operation, { idle: { since, isStill: async () => true } })
  const stop = new AbortController()
  machine.script('kube-apiserver', 'idle', 'serve')
  const starting = driver.start(plane, { ...operation, signal: stop.signal }).catch(() => {})
  // Only a process that has read what it does counts as the first start.
  const next = join(machine.binDir, 'kube-apiserver.does')
  await expect.poll(() => readFileSync(next, 'utf8'), { timeout: 10_000 }).toBe('serve')
  stop.abort()
  await starting
  process.kill(machine.processIds('dev')['kube-apiserver'] ?? 0, 'SIGKILL')

  await using standIns = new StandIns({
    driver,
    wakes: {
      isRefused: () => false,
      admit: async () => {},
      failed: () => {},
      woken: async () => {},
    },
    clients: { wakingFrom: async () => undefined },
    sharesPorts: false,
    tryHold: (name) => machine.store.tryLock(name),
    openApi: () => new FakePlaneApi(),
    log: () => {},
    report: () => {},
    signal: operation.signal,
  })
  const left = (await driver.list()).filter(isReadable)
  await standIns.follow(left)
  await expect.poll(() => standIns.isWaking(plane.id), { timeout: 25_000 }).toBe(false)

  expect(left).toMatchObject([{ desired: 'running', idleSince: since }])
  expect(Object.keys(machine.processIds('dev'))).toEqual([...COMPONENT_NAMES])
  const [started] = (await driver.list()).filter(isReadable)
  expect(started?.idleSince).toBeUndefined()
})
