import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { VplaneError } from '../../src/shared/errors.ts'
import { chooseLastingPorts, isFree } from '../../src/shared/network/ports.ts'
import { tunnelFolderOf } from '../../src/tunnel/record/tunnel-folder.ts'
import { createTunnels } from '../../src/tunnel/tunnels.ts'
import { answeredClient, answerTo, connectTo } from './tcp-server.ts'
import { DEV, tunnelMachine } from './tunnel-machine.ts'

const { signal } = new AbortController()

test('starts a tunnel in its own process, and uses the one that runs', async () => {
  await using machine = await tunnelMachine()

  const first = await machine.tunnels.ensure(DEV, { signal })
  const second = await machine.tunnels.ensure(DEV, { signal })

  expect(second).toEqual(first)
  expect(first.process?.processId).not.toBe(process.pid)
  expect(await answerTo(await connectTo(first.port), 'hello')).toBe('hello')
})

test('starts one process for many callers at once', async () => {
  await using machine = await tunnelMachine()
  const callers = [machine.tunnels, createTunnels(machine.context), createTunnels(machine.context)]

  const records = await Promise.all(callers.map((tunnels) => tunnels.ensure(DEV, { signal })))

  expect(new Set(records.map((record) => record.process?.processId)).size).toBe(1)
  expect(machine.log().match(/listens on/g)).toHaveLength(1)
})

test('makes its records readable for their owner alone', async () => {
  await using machine = await tunnelMachine()
  await machine.tunnels.ensure(DEV, { signal })
  const { log, root, serving, settings } = machine.folder

  const modes = [root, settings, serving, log].map((path) => statSync(path).mode & 0o777)

  expect(modes).toEqual([0o700, 0o600, 0o600, 0o600])
})

test('uses its port again after its process was killed', async () => {
  await using machine = await tunnelMachine()
  const first = await machine.tunnels.ensure(DEV, { signal })
  await machine.kill(first)

  const second = await machine.tunnels.ensure(DEV, { signal })

  expect(second.port).toBe(first.port)
  expect(await answerTo(await connectTo(second.port), 'hello')).toBe('hello')
})

test('uses another port when another program has its port', async () => {
  await using machine = await tunnelMachine()
  const first = await machine.tunnels.ensure(DEV, { signal })
  await machine.kill(first)
  const squatter = createServer().listen(first.port, '127.0.0.1')
  await once(squatter, 'listening')

  const second = await machine.tunnels.ensure(DEV, { signal })
  squatter.close()

  expect(second.port).not.toBe(first.port)
  expect(await answerTo(await connectTo(second.port), 'hello')).toBe('hello')
})

test('chooses no port that is reserved', async () => {
  const [only] = await chooseLastingPorts(1, new Set())
  const all = Array.from({ length: 12_768 }, (_, index) => 20_000 + index)
  const reserved = new Set(all.filter((port) => port !== only))
  await using machine = await tunnelMachine({ reservedPorts: async () => reserved })

  const { port } = await machine.tunnels.ensure(DEV, { signal })

  expect(port).toBe(only)
})

test('refuses a requested port when another program has it', async () => {
  await using machine = await tunnelMachine()

  const ensuring = machine.tunnels.ensure(DEV, { signal, port: machine.server.port })

  await expect(ensuring).rejects.toMatchObject({
    code: 'FAILED',
    message: `another program listens on 127.0.0.1:${machine.server.port}`,
    hints: [expect.objectContaining({ localPort: false })],
  })
})

test('does not blame another program for an address of another machine', async () => {
  await using machine = await tunnelMachine()

  const ensuring = machine.tunnels.ensure(DEV, { signal, address: '192.0.2.1', port: 20_000 })

  const message = 'cannot listen on 192.0.2.1:20000: it is not an address of this machine'
  await expect(ensuring).rejects.toMatchObject({ code: 'FAILED', message })
})

test('moves to another port without breaking open connections, and ends with them', async () => {
  await using machine = await tunnelMachine()
  const first = await machine.tunnels.ensure(DEV, { signal })
  const client = await answeredClient(first.port)
  const taken = await machine.tunnels.ensure({ ...DEV, name: 'other' }, { signal })
  await machine.tunnels.stop({ ...DEV, name: 'other' })

  const second = await machine.tunnels.ensure(DEV, { signal, port: taken.port })

  expect(second.port).toBe(taken.port)
  expect(await isFree(first.port)).toBe(true)
  expect(await answerTo(client, 'still there')).toBe('still there')
  await machine.ended(first.process?.processId)
})

test('replaces a tunnel of an older vplane, which ends with its last connection', async () => {
  await using machine = await tunnelMachine()
  const old = await machine.tunnels.ensure(DEV, { signal })
  const client = await answeredClient(old.port)

  const tunnels = createTunnels({ ...machine.context, writtenBy: '1.10.0' })
  const record = await tunnels.ensure(DEV, { signal })

  expect(record).toMatchObject({ port: old.port, writtenBy: '1.10.0' })
  expect(record.process?.processId).not.toBe(old.process?.processId)
  expect(await answerTo(await connectTo(record.port), 'new')).toBe('new')
  expect(await answerTo(client, 'old')).toBe('old')
  await machine.ended(old.process?.processId)
})

test('leaves a tunnel of a newer vplane alone', async () => {
  await using machine = await tunnelMachine({ writtenBy: '2.0.0' })
  const newer = await machine.tunnels.ensure(DEV, { signal })

  const older = createTunnels({ ...machine.context, writtenBy: '1.9.9' })

  expect(await older.ensure(DEV, { signal })).toEqual(newer)
})

test('uses the settings of the last connect, and keeps them without new ones', async () => {
  await using machine = await tunnelMachine()
  const host = { files: machine.context.host.files, environment: { AWS_PROFILE: 'team-a' } }
  const first = await machine.tunnels.ensure(DEV, { signal })

  const second = await machine.tunnels.ensure(DEV, { signal, host })
  const third = await machine.tunnels.ensure(DEV, { signal })

  expect(second.process?.processId).not.toBe(first.process?.processId)
  expect(second).toMatchObject({ port: first.port, host })
  expect(third).toEqual(second)
})

test('reports why it cannot be started', async () => {
  await using machine = await tunnelMachine({
    program: [process.execPath, '-e', 'console.error("no such module"); process.exit(1)'],
  })

  await expect(machine.tunnels.ensure(DEV, { signal })).rejects.toMatchObject({
    code: 'FAILED',
    message: 'the tunnel ended at once: no such module',
    hints: [`cat ${machine.folder.log}`],
  })
})

test('ends a tunnel with its connections, and removes its record', async () => {
  await using machine = await tunnelMachine()
  const { port, process: serving } = await machine.tunnels.ensure(DEV, { signal })
  const client = await answeredClient(port)
  const end = once(client, 'end')

  expect(await machine.tunnels.stop(DEV)).toBe(true)

  await end
  await machine.ended(serving?.processId)
  expect(existsSync(machine.folder.root)).toBe(false)
  expect(await machine.tunnels.stop(DEV)).toBe(false)
  expect(await machine.tunnels.find(DEV)).toBeUndefined()
})

test('also ends the processes that only carry remaining connections', async () => {
  await using machine = await tunnelMachine()
  const old = await machine.tunnels.ensure(DEV, { signal })
  await answeredClient(old.port)
  await createTunnels({ ...machine.context, writtenBy: '1.3.0' }).ensure(DEV, { signal })

  await machine.tunnels.stop(DEV)

  await machine.ended(old.process?.processId)
})

test('lists tunnels with their addresses and whether they are up', async () => {
  await using machine = await tunnelMachine()
  const other = { ...DEV, hostContext: 'arn:aws:eks:eu-west-1:123456789012:cluster/a_b' }
  const first = await machine.tunnels.ensure(DEV, { signal })
  const second = await machine.tunnels.ensure(other, { signal })
  await machine.kill(second)

  const states = await machine.tunnels.list()

  expect(states.toSorted((one, two) => Number(two.isUp) - Number(one.isUp))).toEqual([
    { plane: DEV, address: `127.0.0.1:${first.port}`, isUp: true },
    { plane: other, address: `127.0.0.1:${second.port}`, isUp: false },
  ])
})

test('lists nothing without tunnels, and no tunnels of a newer vplane', async () => {
  await using machine = await tunnelMachine()
  expect(await machine.tunnels.list()).toEqual([])
  await machine.tunnels.ensure(DEV, { signal })
  const { settings } = machine.folder
  const text = readFileSync(settings, 'utf8')

  writeFileSync(settings, text.replace('"formatVersion": 1', '"formatVersion": 2'))
  const listed = await machine.tunnels.list()
  const finding = machine.tunnels.find(DEV)

  expect(listed).toEqual([])
  await expect(finding).rejects.toMatchObject({ code: 'FAILED' })
  writeFileSync(settings, text)
})

test('opens a tunnel for this process alone, the same for the same plane', async () => {
  await using machine = await tunnelMachine()
  const { dial } = machine.server

  const first = await machine.tunnels.inProcess(DEV, () => Promise.reject(new Error('old')))
  const second = await machine.tunnels.inProcess(DEV, dial)
  const other = await machine.tunnels.inProcess({ ...DEV, namespace: 'team-b' }, dial)

  expect(second).toEqual(first)
  expect(other.server).not.toBe(first.server)
  const port = Number(new URL(second.server).port)
  expect(await answerTo(await connectTo(port), 'hello')).toBe('hello')
  expect(existsSync(join(machine.root, 'tunnels'))).toBe(false)
})

test('warns once why a tunnel inside of this process cannot reach its plane', async () => {
  const warnings: string[] = []
  await using machine = await tunnelMachine({ warn: (text) => void warnings.push(text) })
  const denied = new VplaneError('FAILED', 'forwarding requires the right "create"')
  const { server } = await machine.tunnels.inProcess(DEV, () => Promise.reject(denied))
  const ask = async () => answerTo(await connectTo(Number(new URL(server).port)), 'hello')

  expect(await ask()).toBe('ECONNRESET')
  expect(await ask()).toBe('ECONNRESET')

  expect(warnings).toEqual(['forwarding requires the right "create"'])
})

test('finds the tunnels of planes on hosts with long names', () => {
  const folders = ['a', 'b'].map((end) => {
    const hostContext = `${'arn:aws:eks/'.repeat(40)}${end}`
    return tunnelFolderOf('/', { ...DEV, hostContext }).root
  })

  expect(new Set(folders).size).toBe(2)
  expect(folders.map((folder) => folder.length)).toEqual([201, 201])
})

test('finds the tunnels of planes that differ in one field in separate folders', () => {
  const planes = [
    DEV,
    { ...DEV, name: 'dev-2' },
    { ...DEV, namespace: 'team_a' },
    { ...DEV, hostContext: 'a/b' },
    { ...DEV, hostContext: 'a_b' },
  ]

  expect(new Set(planes.map((plane) => tunnelFolderOf('/', plane).root)).size).toBe(planes.length)
})

test('limits the idle timeout, whatever was requested before', async () => {
  await using machine = await tunnelMachine()
  const asked = { signal, idleTimeoutMs: 120_000 }
  const longestIdleMs = 60_000

  const first = await machine.tunnels.ensure(DEV, asked)
  const second = await machine.tunnels.ensure(DEV, { signal, longestIdleMs })
  const third = await machine.tunnels.ensure(DEV, { ...asked, longestIdleMs })

  expect(first.idleTimeoutMs).toBe(120_000)
  expect(second.idleTimeoutMs).toBe(60_000)
  expect(third).toEqual(second)
})
