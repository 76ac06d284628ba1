import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { expect, test } from 'vitest'
import { COMPONENT_NAMES } from '../../../../src/control-plane/plane/plane.ts'
import { choosePorts, takenPorts } from '../../../../src/drivers/local/store/choose-ports.ts'
import { isListening } from '../../../../src/shared/network/ports.ts'
import { startPlane } from '../../../../src/drivers/local/lifecycle/start-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { fakeMachine } from '../fake-machine.ts'
import { planeRecordOf } from '../plane-record-of.ts'

const CONFLICT = 'die listen tcp 127.0.0.1:20000: bind: address already in use'

test.for(['etcdClient', 'etcdPeer', 'apiServer', 'controllerManager'] as const)(
  'gives a plane other ports when its port %s was taken while it was paused',
  async (name) => {
    await using machine = fakeMachine()
    const record = await machine.add('dev')
    await using _other = await listenOn(record.ports[name])

    const started = await startPlane(machine.context, record, {
      operation: machine.operation,
      wait: true,
    })

    expect(Object.values(started.ports)).not.toContain(record.ports[name])
    expect((await machine.store.find('dev'))?.record).toEqual(started)
    expect(await isListening(started.ports.apiServer)).toBe(true)
    expect(Object.keys(machine.processIds('dev'))).toEqual([...COMPONENT_NAMES])
    expect(machine.ui.warnings).toEqual([
      'another program took a port of "dev"; it gets other ones',
    ])
  },
)

test.for(['etcd', 'kube-apiserver'] as const)(
  'gives a plane other ports when one was taken before %s could listen',
  async (component) => {
    await using machine = fakeMachine()
    const record = await machine.add('dev')
    machine.script(component, CONFLICT, 'serve')

    const started = await startPlane(machine.context, record, {
      operation: machine.operation,
      wait: true,
    })

    expect(started.ports).not.toEqual(record.ports)
    expect(Object.keys(machine.processIds('dev'))).toEqual([...COMPONENT_NAMES])
  },
)

test('gives up when ports are taken again and again', async () => {
  await using machine = fakeMachine()
  const record = await machine.add('dev')
  machine.script('etcd', CONFLICT)

  const error = await rejectionOf(
    startPlane(machine.context, record, { operation: machine.operation, wait: true }),
  )

  expect(error).toMatchObject({
    code: 'COMPONENT_FAILED',
    message: expect.stringContaining('address already in use'),
  })
  expect(await machine.starts(4)).toEqual(['etcd', 'etcd', 'etcd', 'etcd'])
  expect(machine.ui.warnings).toHaveLength(3)
})

test('does not change ports when a component ends for another reason, whatever older logs hold', async () => {
  await using machine = fakeMachine()
  const record = await machine.add('dev')
  appendFileSync(machine.folder('dev').logOf('etcd'), `${CONFLICT}\n`, { mode: 0o600 })
  machine.script('kube-apiserver', 'die Error: unknown flag: --nonsense')

  const error = await rejectionOf(
    startPlane(machine.context, record, { operation: machine.operation, wait: true }),
  )

  expect(error.message).toContain('unknown flag')
  expect(machine.ui.warnings).toEqual([])
  expect((await machine.store.find('dev'))?.record).toMatchObject({ ports: record.ports })
})

test('counts the ports of all planes as taken, even with an unreadable plane', async () => {
  await using machine = fakeMachine()
  const ports = await choosePorts(new Set())
  await machine.store.add(planeRecordOf('a', { ports }))
  await machine.store.add(planeRecordOf('b'))
  appendFileSync(machine.folder('b').record, '}')

  expect(await takenPorts(machine.store)).toEqual(new Set(Object.values(ports)))
})

async function listenOn(port: number): Promise<AsyncDisposable & { server: Server }> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    server,
    [Symbol.asyncDispose]: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}
