import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { conditionOf } from '../../../src/shared/kube/kube-object.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { type HostDatabase, startHostDatabase } from '../../support/databases/host-database.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'

const PATIENT = { timeout: 120_000, interval: 250 }

// In their order: they are about one operator and one server.
describeOnHost('a declared plane with PostgreSQL', { shuffle: false }, () => {
  let cli: HostCli
  let database: HostDatabase
  let before: string[]
  let at: string[]
  let postgres: { host: string; port: number }

  /** Applies a ControlPlane as a GitOps tool does. */
  const apply = (name: string, credentialsSecret: string, other: object = {}) =>
    cli.host(['apply', '--server-side', '--field-manager=gitops', '--filename', '-'], {
      apiVersion: 'vplane.dev/v1beta1',
      kind: 'ControlPlane',
      metadata: { name, namespace: database.namespace },
      spec: { ...other, store: { kine: { postgres: { ...postgres, credentialsSecret } } } },
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
    database = await startHostDatabase(cli)
    before = await database.server.names()
    at = ['--namespace', database.namespace]
    postgres = JSON.parse(readFileSync(database.spec, 'utf8')).store.kine.postgres
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
    expect(await cli.ok(['describe', 'light', ...at])).toContain('with PostgreSQL')
  })

  test('keeps its server', async () => {
    const patch = { spec: { store: { kine: { postgres: { host: 'db.example.com' } } } } }
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

  test('stays while its server does not answer, says what to do, and goes with its database', async () => {
    const { server } = database
    await server.stop()
    await cli.host(['delete', 'vcp', 'light', ...at, '--wait=false'])
    await expect.poll(() => failure('light'), PATIENT).toContain('cannot connect to PostgreSQL')
    const message = await failure('light')
    const texts = [
      await cli.host(['get', 'vcp,events', ...at, '-o=json']),
      await cli.host(['logs', 'deployment/vplane-operator', ...at]),
    ]
    await server.start()

    expect(message).toContain(`vplane delete light ${at.join(' ')} --leave-data`)
    expect(message).toContain('deletionPolicy: LeaveData')
    expect(texts.join()).not.toContain(server.files.owner.password)
    await expect.poll(planes, PATIENT).toBe('')
    expect(await server.names()).toEqual(before)
    const left = await cli.host(['get', 'all,secret,networkpolicy', ...at, '-o=name'])
    expect(left).not.toContain('light')
  })

  test('is adopted, and deleted without its database, which its operator leaves, too', async () => {
    const { server } = database
    await cli.ok(['create', 'own', ...at, '--file', database.spec])
    await cli.ok(['adopt', 'own', ...at])
    await untilReady('own')
    await server.stop()
    const refused = await cli.run(['delete', 'own', ...at, '--yes'])
    const kept = await planes()

    const deleted = await cli.run(['delete', 'own', ...at, '--leave-data', '--yes'])

    await server.start()
    expect(refused).toMatchObject({ code: 5 })
    expect(refused.stderr).toContain('--leave-data')
    expect(kept).toContain('own')
    expect(deleted.code, deleted.stderr).toBe(0)
    await expect.poll(planes, PATIENT).toBe('')
    expect((await server.names()).length).toBe(before.length + 2)
  })
})
