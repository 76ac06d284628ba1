import { once } from 'node:events'
import { appendFileSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { COMPONENT_NAMES } from '../../../../src/control-plane/plane/plane.ts'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import { takenPorts } from '../../../../src/drivers/local/store/choose-ports.ts'
import { Connections } from '../../../../src/gateway/connections.ts'
import { StandIn } from '../../../../src/gateway/stand-in.ts'
import { isListening } from '../../../../src/shared/network/ports.ts'
import { freePorts } from '../../../../src/drivers/local/lifecycle/move-ports.ts'
import { startPlane } from '../../../../src/drivers/local/lifecycle/start-plane.ts'
import { PlaneStore } from '../../../../src/drivers/local/store/plane-store.ts'
import type { PlaneRecord } from '../../../../src/drivers/local/store/plane-record.ts'
import { FakePlaneApi } from '../../../support/api/fake-plane-api.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { type FakeMachine, fakeMachine } from '../fake-machine.ts'
import { planeRecordOf } from '../plane-record-of.ts'

const CONFLICT = 'die listen tcp 127.0.0.1:20000: bind: address already in use'

let machine: FakeMachine
let record: PlaneRecord

beforeEach(async () => {
  machine = fakeMachine()
  record = await machine.add('dev')
  return () => machine[Symbol.asyncDispose]()
})

const PORT_NAMES = ['etcdClient', 'etcdPeer', 'apiServer', 'controllerManager'] as const

test.for(PORT_NAMES)('chooses another port when %s was taken during a pause', async (name) => {
  await using _other = await listenOn(record.ports[name])

  const started = await start()

  expect(Object.values(started.ports)).not.toContain(record.ports[name])
  const isKept = started.ports.apiServer === record.ports.apiServer
  expect(isKept).toBe(name !== 'apiServer')
  expect(machine.ui.warnings).toEqual(isKept ? [] : [moved(started)])
  expect((await machine.store.find('dev'))?.record).toEqual(started)
  expect(await isListening(started.ports.apiServer)).toBe(true)
  expect(Object.keys(machine.processIds('dev'))).toEqual([...COMPONENT_NAMES])
})

test('asks the keeper for the port on which it listens for the API server', async () => {
  machine.context.sharesPorts = false
  record = await machine.store.update({ ...record, spec: resolveSpec({ idle: '30m' }) })
  await using keeper = await StandIn.listen({
    plane: 'dev',
    connections: new Connections(),
    host: '127.0.0.1',
    port: record.ports.apiServer,
    sharesPort: false,
    isServed: async () => false,
    isToLeave: async () => true,
    wake: async () => {},
    openApi: () => new FakePlaneApi(),
    readyPath: '/readyz',
    log: () => {},
  })

  const started = await start()

  expect(started.ports).toEqual(record.ports)
  expect(keeper.isListening).toBe(false)
  expect(await isListening(record.ports.apiServer)).toBe(true)
})

test('does not listen on the port that the keeper shares: it would get connections of clients', async () => {
  record = { ...record, spec: resolveSpec({ idle: '30m' }) }
  await using _other = await listenOn(record.ports.apiServer)

  await freePorts({ sharesPorts: true }, record, 'kube-apiserver')
})

test('chooses other ports when a port that can be shared was taken by a program that does not', async () => {
  machine.context.sharesPorts = true
  record = await machine.store.update({ ...record, spec: resolveSpec({ idle: '30m' }) })
  await using _other = await listenOn(record.ports.apiServer)

  const started = await start()

  expect(started.ports).toEqual({ ...record.ports, apiServer: started.ports.apiServer })
  expect(started.ports.apiServer).not.toBe(record.ports.apiServer)
  expect(machine.ui.warnings).toEqual([moved(started)])
})

test.for(['etcd', 'kube-apiserver'] as const)(
  'gives a plane other ports when one was taken before %s could listen',
  async (component) => {
    machine.script(component, CONFLICT, 'serve')

    const started = await start()

    expect(started.ports).not.toEqual(record.ports)
    expect(started.ports.apiServer === record.ports.apiServer).toBe(component === 'etcd')
    expect(Object.keys(machine.processIds('dev'))).toEqual([...COMPONENT_NAMES])
  },
)

test('gives up when ports are taken again and again', async () => {
  machine.script('etcd', CONFLICT)

  const error = await rejectionOf(start())

  expect(error).toMatchObject({
    code: 'COMPONENT_FAILED',
    message: expect.stringContaining('address already in use'),
  })
  expect(await machine.starts(4)).toEqual(['etcd', 'etcd', 'etcd', 'etcd'])
  expect(machine.ui.notes).toHaveLength(3)
})

test('does not change the address when only an older log reports a conflict', async () => {
  appendFileSync(machine.folder('dev').logOf('kube-apiserver'), `${CONFLICT}\n`, { mode: 0o600 })
  machine.script('etcd', 'die Error: no space left')

  await rejectionOf(start())

  expect((await machine.store.find('dev'))?.record).toMatchObject({ ports: record.ports })
})

test('does not change ports when a component ends for another reason, whatever older logs hold', async () => {
  appendFileSync(machine.folder('dev').logOf('etcd'), `${CONFLICT}\n`, { mode: 0o600 })
  machine.script('kube-apiserver', 'die Error: unknown flag: --nonsense')

  const error = await rejectionOf(start())

  expect(error.message).toContain('unknown flag')
  expect(machine.ui).toMatchObject({ warnings: [], notes: [] })
  expect((await machine.store.find('dev'))?.record).toMatchObject({ ports: record.ports })
})

test('counts the ports of all planes as taken, even with an unreadable plane', async () => {
  await machine.store.add(planeRecordOf('b'))
  appendFileSync(machine.folder('b').record, '}')

  expect(await takenPorts(machine)).toEqual(new Set(Object.values(record.ports)))
})

test('counts the ports of other planes of the user as taken, if it may read them', async () => {
  const others = new PlaneStore(join(machine.root, 'others'))
  const other = await others.add(planeRecordOf('b'))
  const all = [record, other].flatMap(({ ports }) => Object.values(ports))
  const unreadable = new PlaneStore(join(machine.root, 'file'))
  writeFileSync(join(machine.root, 'file'), '')

  expect(await takenPorts({ ...machine, others })).toEqual(new Set(all))
  expect(await takenPorts({ ...machine, others: unreadable })).toEqual(
    new Set(Object.values(record.ports)),
  )
})

function moved({ ports }: PlaneRecord): string {
  return `another program took the port of "dev": its address is now https://127.0.0.1:${ports.apiServer}`
}

function start(): Promise<PlaneRecord> {
  return startPlane(machine.context, record, { operation: machine.operation, wait: true })
}

async function listenOn(port: number): Promise<AsyncDisposable> {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket)).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    [Symbol.asyncDispose]: async () => {
      server.close()
      sockets.forEach((socket) => socket.destroy())
      await once(server, 'close')
    },
  }
}
