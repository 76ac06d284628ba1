import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessPathOf } from '../../src/compose/access/access-path.ts'
import type { Plane } from '../../src/control-plane/plane/plane.ts'
import { resolveSpec } from '../../src/control-plane/spec/resolve-spec.ts'
import { type Access, renewAccess } from '../../src/control-plane/use-cases/access/access.ts'
import { accessFiles } from '../../src/kubeconfig/plugin/access-file.ts'
import { renderKubeconfig } from '../../src/kubeconfig/contexts/entry-items.ts'
import { packageRoot } from '../../src/shared/package-root.ts'
import { type FakeMachine, fakeMachine } from '../drivers/local/fake-machine.ts'
import { CA, execEntry } from '../kubeconfig/entries.ts'
import { keptHostPlane } from '../support/host/planes/kept-host-plane.ts'

const DEV = join(packageRoot(), 'bin/dev.js')

let machine: FakeMachine
let plane: Plane
let access: Access

beforeAll(async () => {
  machine = fakeMachine()
  const request = { name: 'dev', userSpec: {}, spec: resolveSpec({}), wait: true }
  plane = await machine.driver.create(request, machine.operation)
  const accesses = accessFiles((reference) => accessPathOf(join(machine.root, 'data'), reference))
  const driver = machine.driver
  access = await renewAccess({ accesses, now: () => new Date() }, { driver, plane })
})
afterAll(() => machine[Symbol.asyncDispose]())

test.for([
  ['does not say where it connects', undefined],
  ['keeps to no protocol', '{"spec":'],
  ['says nothing of its cluster', '{"kind":"ExecCredential","spec":{"interactive":false}}'],
] as const)('prints the credential that is kept to a client that %s', async ([, execInfo]) => {
  const { code, stderr, stdout } = await credential(['local', 'dev'], execInfo)

  const { apiVersion, kind, status } = JSON.parse(stdout)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect({ apiVersion, kind }).toEqual({
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
  })
  expect(status).toMatchObject({
    clientCertificateData: access.certificate,
    clientKeyData: access.key,
  })
})

test.skipIf(process.platform !== 'linux')('leaves its answer to the launcher', async () => {
  await credential(['local', 'dev'])

  const answer = `${accessPathOf(join(machine.root, 'data'), plane)}.answer`
  expect(readFileSync(answer, 'utf8')).toContain(`\n${access.server}\n`)
})

test('asks clients to come back within a minute, to find a plane that moved or stopped', async () => {
  const { stdout } = await credential(['local', 'dev'])

  const { expirationTimestamp } = JSON.parse(stdout).status
  const seconds = (Date.parse(expirationTimestamp) - Date.now()) / 1000
  expect(seconds).toBeGreaterThan(30)
  expect(seconds).toBeLessThanOrEqual(60)
})

test('prints nothing to a client that would connect to another address, and says what to do', async () => {
  const execInfo = JSON.stringify({ spec: { cluster: { server: 'https://127.0.0.1:1' } } })

  const { code, stderr, stdout } = await credential(['local', 'dev'], execInfo)

  expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
  expect(stderr).toBe(
    `error: "dev" is now at ${access.server}, not at https://127.0.0.1:1\n` +
      'hint: vplane connect dev --kubeconfig-file FILE\n' +
      'hint: or print it again: vplane kubeconfig dev\n',
  )
})

test('leaves the context of another plane of this name as it is', async () => {
  const file = join(machine.root, 'kubeconfig')
  const entry = execEntry('dev', { certificateAuthorityData: CA })
  writeFileSync(file, renderKubeconfig(entry))
  const before = readFileSync(file, 'utf8')
  const cluster = { server: entry.server, 'certificate-authority-data': btoa(CA) }

  const outcome = await credential(['local', 'dev'], JSON.stringify({ spec: { cluster } }))
  const lastly = await credential(
    ['local', 'dev'],
    JSON.stringify({ spec: { cluster: { server: entry.server } } }),
  )
  const after = readFileSync(file, 'utf8')
  rmSync(file)

  expect(outcome).toMatchObject({ code: 4, stdout: '' })
  expect(outcome.stderr).toContain('the context leads to another control plane named "dev"')
  expect(lastly.stderr).toContain('hint: vplane connect dev --kubeconfig-file FILE\n')
  expect(after).toBe(before)
})

test('does not start a paused plane for a client of another one of its name', async () => {
  const request = { name: 'paused', userSpec: {}, spec: resolveSpec({}), wait: true }
  const paused = await machine.driver.create(request, machine.operation)
  await machine.driver.pause(paused, machine.operation)
  const cluster = { server: 'https://127.0.0.1:1', 'certificate-authority-data': btoa(CA) }

  const outcome = await credential(['local', 'paused'], JSON.stringify({ spec: { cluster } }))
  const { phase } = await machine.driver.status(paused)
  await machine.driver.remove(paused, machine.operation)

  expect(outcome).toMatchObject({ code: 4, stdout: '' })
  expect(outcome.stderr).toContain('the context leads to another control plane named "paused"')
  expect(phase).toBe('Paused')
})

test.for([
  [['local', 'other'], 3, 'no control plane named "other"'],
  [['local', '../dev'], 2, 'the name "../dev" may only contain'],
  [['local'], 2, 'the name ""'],
  [[], 2, 'the name ""'],
] as const)('says why %j gets no credential', async ([args, expected, reason]) => {
  const { code, stderr, stdout } = await credential(args)

  expect({ code, stdout }).toEqual({ code: expected, stdout: '' })
  expect(stderr).toContain(reason)
})

/** The words of a context for a plane in a host cluster. */
const HOSTED = ['kubernetes', 'dev', 'team', 'admin@my/cluster_1']

test('prints what is kept for a hosted plane while its tunnel is up', async () => {
  await using plane = await keptHostPlane()
  await plane.openTunnel()
  const execInfo = JSON.stringify({ spec: { cluster: { server: plane.access.server } } })

  const { code, stderr, stdout } = await credential(HOSTED, execInfo, plane.home)

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout).status).toMatchObject({ clientKeyData: 'a key' })
})

test('prints what is kept for the address that a user gave', async () => {
  await using plane = await keptHostPlane({ server: 'https://127.0.0.1:1' })
  const server = `https://127.0.0.1:${plane.port}`
  const execInfo = JSON.stringify({ spec: { cluster: { server } } })

  const { code, stdout } = await credential([...HOSTED, `--server=${server}`], execInfo, plane.home)

  expect(code).toBe(0)
  expect(JSON.parse(stdout).status).toMatchObject({ clientCertificateData: 'a certificate' })
})

test('looks in the kubeconfig that the tunnel was made with when it has to look', async () => {
  await using plane = await keptHostPlane()
  await plane.openTunnel()
  await plane.stopListening()

  const { code, stderr, stdout } = await credential(HOSTED, undefined, plane.home)

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(`there is no kubeconfig: "${join(plane.home, 'kubeconfig')}"`)
})

async function credential(args: readonly string[], execInfo?: string, home = machine.root) {
  const child = spawn(process.execPath, [DEV, 'credential', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      VPLANE_HOME: home,
      KUBECONFIG: join(machine.root, 'kubeconfig'),
      NO_COLOR: '1',
      ...(execInfo === undefined ? {} : { KUBERNETES_EXEC_INFO: execInfo }),
    },
  })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code, stdout, stderr }
}
