import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DatabaseKind, STORES } from '../../../src/control-plane/store/store.ts'
import { conditionOf } from '../../../src/shared/kube/kube-object.ts'
import { createHostCli, type HostCli } from '../host/host-cli.ts'
import { type HostDatabase, startHostDatabase } from './host-database.ts'

const PATIENT = { timeout: 120_000, interval: 250 }

/** Tests of planes that ControlPlanes declare. They need their order: they are about one operator and one server. */
export function testDeclaredDatabase(
  kind: DatabaseKind,
  { isWoken = false }: { isWoken?: boolean } = {},
): void {
  const { title } = STORES[kind]
  let cli: HostCli
  let database: HostDatabase
  let before: string[]
  let at: string[]
  let server: { host: string; port: number }

  /** Applies a ControlPlane as a GitOps tool does. */
  const apply = (name: string, credentialsSecret: string, other: object = {}) =>
    cli.host(['apply', '--server-side', '--field-manager=gitops', '--filename', '-'], {
      apiVersion: 'vplane.dev/v1beta1',
      kind: 'ControlPlane',
      metadata: { name, namespace: database.namespace },
      spec: { ...other, store: { kine: { [kind]: { ...server, credentialsSecret } } } },
    })
  const untilReady = (name: string) =>
    cli.host(['wait', `vcp/${name}`, ...at, '--for=condition=Ready', '--timeout=120s'])
  const kubectl = (name: string, ...words: string[]) =>
    cli.ok(['connect', name, ...at, '--', 'kubectl', ...words])
  /** Why a plane is not as its ControlPlane says. */
  const failure = async (name: string) =>
    conditionOf(await cli.hostJson(['get', 'vcp', name, ...at]), 'Degraded')?.['message']
  const planes = () => cli.host(['get', 'vcp', ...at, '-o=name'])

  beforeAll(async () => {
    cli = await createHostCli()
    database = await startHostDatabase(cli, kind)
    before = await database.server.names()
    at = ['--namespace', database.namespace]
    server = JSON.parse(readFileSync(database.spec, 'utf8')).store.kine[kind]
    await cli.ok(['operator', 'install', ...at, '--scope', 'namespace'])
  })
  afterAll(async () => {
    await cli.run(['operator', 'uninstall', ...at, '--yes'])
    for (const name of ['light', 'own']) {
      await cli.run(['delete', name, ...at, '--leave-data', '--yes', '--ignore-not-found'])
    }
    await cli[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  test('is created when the Secret of the owner exists, and stores its objects there', async () => {
    await apply('light', 'missing')
    await expect.poll(() => failure('light'), PATIENT).toContain('Secret "missing"')

    await apply('light', 'owner')
    await untilReady('light')

    await kubectl('light', 'create', 'configmap', 'kept')
    expect((await database.server.names()).length).toBe(before.length + 2)
    expect(await cli.host(['get', 'pods', ...at, '-o=name'])).not.toContain('light-database')
    expect(await cli.ok(['describe', 'light', ...at])).toContain(`with ${title}`)
  })

  test('keeps its server', async () => {
    const patch = { spec: { store: { kine: { [kind]: { host: 'db.example.com' } } } } }
    const words = ['--type=merge', '--patch', JSON.stringify(patch)]

    await expect(cli.host(['patch', 'vcp', 'light', ...at, ...words])).rejects.toThrow(
      '"store" stays as it was at the start',
    )
  })

  test('keeps its objects over a pause', async () => {
    await cli.ok(['pause', 'light', ...at])
    await cli.ok(['resume', 'light', ...at])

    expect(await kubectl('light', 'get', 'configmaps', '-o=name')).toContain('configmap/kept')
  })

  test.runIf(isWoken)('pauses itself, and is woken by any client', async () => {
    const idle = { idle: '10s', wake: { by: 'any' }, expose: { type: 'node-port' } }
    await apply('light', 'owner', idle)
    const status = async () => (await cli.json(['describe', 'light', ...at, '--json'])).status
    await expect.poll(status, PATIENT).toBe('Paused')
    const embedded = join(dirname(cli.kubeconfig), 'embedded')
    const text = await cli.ok(['kubeconfig', 'light', ...at, '--embed-credentials'])
    writeFileSync(embedded, text, { mode: 0o600 })

    const words = ['get', 'configmap', 'kept', '-o=name', '--kubeconfig', embedded]
    const found = async () => (await cli.kubectl(words)).stdout

    await expect.poll(found, PATIENT).toBe('configmap/kept\n')
  })

  test('stays while its server does not answer, says what to do, and goes with its database', async () => {
    const { server: running } = database
    await running.stop()
    await cli.host(['delete', 'vcp', 'light', ...at, '--wait=false'])
    await expect.poll(() => failure('light'), PATIENT).toContain(`cannot connect to ${title}`)
    const message = await failure('light')
    const texts = [
      await cli.host(['get', 'vcp,events', ...at, '-o=json']),
      await cli.host(['logs', 'deployment/vplane-operator', ...at]),
    ]
    await running.start()

    expect(message).toContain(`vplane delete light ${at.join(' ')} --leave-data`)
    expect(message).toContain('deletionPolicy: LeaveData')
    expect(texts.join()).not.toContain(running.files.owner.password)
    await expect.poll(planes, PATIENT).toBe('')
    expect(await running.names()).toEqual(before)
    const left = await cli.host(['get', 'all,secret,networkpolicy', ...at, '-o=name'])
    expect(left).not.toContain('light')
  })

  test('is adopted, and deleted without its database, which its operator leaves, too', async () => {
    const { server: running } = database
    await cli.ok(['create', 'own', ...at, '--file', database.spec])
    await cli.ok(['adopt', 'own', ...at])
    await untilReady('own')
    await running.stop()
    const refused = await cli.run(['delete', 'own', ...at, '--yes'])
    const kept = await planes()

    const deleted = await cli.run(['delete', 'own', ...at, '--leave-data', '--yes'])

    await running.start()
    expect(refused.code, refused.stderr).toBe(5)
    expect(refused.stderr).toContain('--leave-data')
    expect(kept).toContain('own')
    expect(deleted.code, deleted.stderr).toBe(0)
    await expect.poll(planes, PATIENT).toBe('')
    expect((await running.names()).length).toBe(before.length + 2)
  })
}
