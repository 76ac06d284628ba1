import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import type { TestServer } from '../../support/databases/database-server.ts'
import { startPostgres } from '../../support/databases/start-postgres.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'

const PATIENT = { timeout: 120_000, interval: 250 }
const KINE = ['--selector', 'vplane.dev/component=kine']

// In their order: all of them are about one plane.
describeOnHost('a plane in a host namespace with PostgreSQL', { shuffle: false }, () => {
  let cli: HostCli
  let server: TestServer
  let before: string[]
  let namespace: string
  let at: string[]
  let spec: string

  beforeAll(async () => {
    cli = await createHostCli()
    await cli.lab.loadKineImage()
    const address = await machineAddress()
    server = await startPostgres({ address })
    before = await server.names()
    namespace = await cli.makeNamespace(RESTRICTED)
    at = ['--namespace', namespace]
    await makeSecret()
    spec = join(dirname(cli.kubeconfig), 'spec.yaml')
    const postgres = { host: address, port: server.port, credentialsSecret: 'owner' }
    writeFileSync(spec, JSON.stringify({ store: { kine: { postgres } } }))
    await cli.ok(['create', 'light', ...at, '--file', spec, '--connect'])
    await cli.kubectlOk(['create', 'configmap', 'kept'])
  })
  afterAll(async () => {
    await cli[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })

  test('runs kine without a volume, with a database of its own', async () => {
    expect(await described()).toMatchObject({
      status: 'Ready',
      components: [
        { name: 'kine', state: 'running', instance: 'vplane-light-kine-0' },
        { name: 'kube-apiserver' },
        { name: 'kube-controller-manager' },
      ],
    })
    expect(await cli.ok(['describe', 'light', ...at])).toContain('kine 0.16.4 with PostgreSQL')
    expect((await server.names()).length).toBe(before.length + 2)
    expect(await cli.host(['get', 'pvc', ...at, '-o=name'])).toBe('')
    expect(await cli.host(['get', 'pods', ...at, '-o=name'])).not.toContain('light-database')
  })

  test('loses no acknowledged write when the pod of kine is killed', async () => {
    await cli.kubectlOk(['create', 'configmap', 'last'])
    await cli.host(['delete', 'pod', ...at, ...KINE, '--now'])

    await expect.poll(found, PATIENT).toEqual(expect.arrayContaining(['kept', 'last']))
    await untilReady()
  })

  test('keeps its objects over a pause', async () => {
    await cli.ok(['pause', 'light', ...at])
    await cli.ok(['resume', 'light', ...at])

    expect(await found()).toContain('kept')
    await untilReady()
  })

  test('leaves nothing: neither the database nor the role', async () => {
    await cli.ok(['delete', 'light', ...at, '--yes'])

    expect(await server.names()).toEqual(before)
    const left = await cli.host(['get', 'all,pvc,secret,networkpolicy', ...at, '-o=name'])
    expect(left).toBe('secret/owner')
  })

  /** That of this machine in the network of the lab. */
  async function machineAddress(): Promise<string> {
    const path = '-o=jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address}'
    return (await cli.host(['get', 'nodes', path])).replace(/\d+$/, '1')
  }

  async function makeSecret(): Promise<void> {
    const { ca, owner } = server.files
    const stringData = {
      username: owner.user,
      password: owner.password,
      'ca.crt': readFileSync(ca, 'utf8'),
    }
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'owner' } }
    const type = 'kubernetes.io/basic-auth'
    await cli.host(['create', ...at, '-f', '-'], { ...secret, type, stringData })
  }

  async function found(): Promise<string[]> {
    const path = 'jsonpath={.items[*].metadata.name}'
    const { stdout } = await cli.kubectl(['get', 'configmaps', '-o', path])
    return stdout.split(' ')
  }

  function described(): Promise<PlaneDetails> {
    return cli.json(['describe', 'light', ...at, '--json'])
  }

  async function untilReady(): Promise<void> {
    await expect.poll(async () => (await described()).status, PATIENT).toBe('Ready')
  }
})
