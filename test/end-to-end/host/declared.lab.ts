import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SnapshotListResult } from '../../../src/commands/snapshot/list.ts'
import { conditionOf, type KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'
import { machineAddress } from '../../support/host/machine-address.ts'
import { startVersitygw } from '../../support/programs/versitygw.ts'

// In their order: all of them are about one operator.
describeOnHost('a declared plane', { shuffle: false }, () => {
  let cli: HostCli
  let namespace: string
  let at: string[]
  let server: Awaited<ReturnType<typeof startVersitygw>>

  /** Applies a ControlPlane as a GitOps tool does. */
  const apply = (name: string, spec: object, flags = ['--server-side', '--field-manager=gitops']) =>
    cli.host(['apply', ...flags, '--filename', '-'], {
      apiVersion: 'vplane.dev/v1beta1',
      kind: 'ControlPlane',
      metadata: { name, namespace },
      spec,
    })
  const untilCondition = (
    name: string,
    type: string,
    isMeant: (condition: Record<string, unknown>) => boolean,
  ) =>
    waitFor(
      async () => {
        const condition = conditionOf(await read(name), type)
        return condition !== undefined && isMeant(condition) && condition
      },
      { what: `${type} of "${name}"`, timeoutMs: 120_000, intervalMs: 500 },
    )
  const untilReady = (name: string) =>
    cli.host(['wait', `vcp/${name}`, ...at, '--for=condition=Ready', '--timeout=120s'])
  const read = (name: string) => cli.hostJson(['get', 'vcp', name, ...at])
  const kubectl = (name: string, ...words: string[]) =>
    cli.ok(['connect', name, ...at, '--', 'kubectl', ...words])

  beforeAll(async () => {
    cli = await createHostCli()
    namespace = await cli.makeNamespace(RESTRICTED)
    at = ['--namespace', namespace]
    server = await startVersitygw(machineAddress(cli.lab.kubeconfig))
    const literals = Object.entries(server.environment).map(
      ([name, value]) => `--from-literal=${name}=${value}`,
    )
    await cli.host(['create', 'secret', 'generic', 's3', ...at, ...literals])
  })
  afterAll(async () => {
    await cli.run(['operator', 'uninstall', ...at, '--yes'])
    for (const name of ['dev', 'backed-up']) {
      await cli.run(['delete', name, ...at, '--yes', '--ignore-not-found'])
    }
    await cli[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })

  test('is not created where no operator creates control planes', async () => {
    const { code, stderr } = await cli.run(['create', 'dev', ...at, '--declare'])

    expect(code).toBe(3)
    expect(stderr).toContain(`no operator creates control planes in namespace "${namespace}"`)
    expect(stderr).toContain('vplane operator install')
  })

  test('is created by a command, which waits for the operator and connects', async () => {
    await cli.ok(['operator', 'install', ...at, '--scope', 'namespace'])
    const create = ['create', 'dev', ...at, '--declare', '--set', 'apiServer.goGc=60']

    const created = await cli.ok([...create, '--renew'])
    const again = await cli.ok([...create, '--renew'])
    const other = await cli.run(create)
    const printed = await cli.ok([...create, '--renew', '--dry-run', '-o', 'json'])

    expect(created).toContain(`"dev" in namespace "${namespace}" is ready.`)
    expect(again).toContain('exists with the same spec and is ready.')
    expect(other.code).toBe(4)
    const { metadata, spec, status } = await read('dev')
    expect(spec).toEqual({ renew: true, apiServer: { goGc: 60 } })
    expect(status).toMatchObject({ observedGeneration: metadata.generation })
    expect(JSON.parse(printed)).toMatchObject({ kind: 'ControlPlane', spec })
    expect(await kubectl('dev', 'get', 'namespace', 'default', '-o=name')).toBe(
      'namespace/default\n',
    )
  })

  test('takes no plane that exists without a ControlPlane', async () => {
    await cli.ok(['create', 'own', ...at])

    const { code, stderr } = await cli.run(['create', 'own', ...at, '--declare'])

    expect(code).toBe(4)
    expect(stderr).toContain(`vplane adopt own --namespace ${namespace}`)
    await cli.ok(['delete', 'own', ...at, '--yes'])
  })

  test('stays as it is when its ControlPlane is applied again and again', async () => {
    await apply('given', { renew: true })
    await untilReady('given')
    const before = await versions('given')
    const { generation } = (await read('given')).metadata

    for (const flags of [[], ['--server-side', '--field-manager=other'], []]) {
      await apply('given', { renew: true }, flags)
    }
    // The operator has seen those when it answers to a later one.
    await apply('later', { version: '1.2' })
    await untilCondition('later', 'Degraded', ({ reason }) => reason === 'InvalidSpec')

    expect((await read('given')).metadata.generation).toBe(generation)
    expect(await versions('given')).toEqual(before)
    await cli.host(['delete', 'vcp', 'given', 'later', ...at])
  })

  test('is restored by a command while its operator waits', async () => {
    const file = join(cli.root, 'dev.snapshot')
    await kubectl('dev', 'create', 'configmap', 'before')
    await cli.ok(['snapshot', 'create', 'dev', ...at, '--output', file])
    await kubectl('dev', 'create', 'configmap', 'after')
    const { generation } = (await read('dev')).metadata

    const restoring = cli.ok(['restore', 'dev', ...at, '--from', file, '--force', '--yes'])
    const during = await untilCondition('dev', 'Progressing', ({ status }) => status === 'True')
    await restoring
    await untilReady('dev')

    expect(during).toMatchObject({ reason: 'restore' })
    const maps = await kubectl('dev', 'get', 'configmaps', '-o=name')
    expect(maps).toContain('configmap/before')
    expect(maps).not.toContain('configmap/after')
    const now = await read('dev')
    expect(now.metadata.generation).toBe(generation)
    expect(conditionOf(now, 'Degraded')).toMatchObject({ status: 'False' })
    expect(await events('dev')).not.toContain('ComponentNotReady')
    const log = await cli.host(['logs', 'deployment/vplane-operator', ...at])
    expect(log).not.toContain('was interrupted')
  })

  test('is backed up by the operator, which says when that fails', async () => {
    const schedule = '*/2 * * * * *'
    const backup = { schedule, store: `s3://${server.bucket}/dev`, secret: 's3' }
    await apply('backed-up', { backup, deletionPolicy: 'Snapshot' })
    await untilCondition('backed-up', 'BackupHealthy', ({ status }) => status === 'True')

    await apply('backed-up', {
      backup: { ...backup, store: 's3://nowhere-at-all/dev' },
      deletionPolicy: 'Snapshot',
    })
    const failed = await untilCondition(
      'backed-up',
      'BackupHealthy',
      ({ status }) => status === 'False',
    )

    expect(failed).toMatchObject({ reason: 'BackupFailed' })
    expect(failed['message']).toContain('s3://nowhere-at-all/dev')
  })

  test('is not deleted before its last snapshot is stored', async () => {
    const taken = async () => {
      const list = ['snapshot', 'list', '--store', `s3://${server.bucket}/last`, '--json']
      const { items }: SnapshotListResult = JSON.parse(
        await cli.ok(list, { env: server.environment }),
      )
      return items.filter(({ plane }) => plane === 'backed-up').length
    }

    await cli.host(['delete', 'vcp', 'backed-up', ...at, '--wait=false'])
    const failed = await untilCondition(
      'backed-up',
      'Degraded',
      ({ message }) => message !== '' && message !== undefined,
    )
    const store = { spec: { backup: { store: `s3://${server.bucket}/last` } } }
    await cli.host([
      'patch',
      'vcp',
      'backed-up',
      ...at,
      '--type=merge',
      `-p=${JSON.stringify(store)}`,
    ])
    await cli.host(['wait', 'vcp/backed-up', ...at, '--for=delete', '--timeout=120s'])

    expect(failed['message']).toContain('s3://nowhere-at-all/dev')
    expect(await taken()).toBe(1)
    const labels = ['--selector', 'vplane.dev/name=backed-up', '--output=name']
    expect(await cli.host(['get', 'pods,secrets', ...at, ...labels])).toBe('')
  })

  /** The versions of the objects of a plane, except what its duties write. */
  async function versions(name: string): Promise<Record<string, unknown>> {
    const kinds = 'deployments,statefulsets,services,configmaps,secrets,pods'
    const labels = ['--selector', `vplane.dev/name=${name}`]
    const { items } = await cli.hostJson(['get', kinds, ...at, ...labels])
    const objects: KubeObject[] = items
    return Object.fromEntries(
      objects
        .filter(({ metadata }) => metadata.name?.endsWith('keeper-status') !== true)
        .map(({ kind, metadata }) => [`${kind}/${metadata.name}`, metadata.resourceVersion]),
    )
  }

  async function events(name: string): Promise<string> {
    const about = ['--field-selector', `involvedObject.name=${name}`, '--output']
    return cli.host(['get', 'events', ...at, ...about, 'jsonpath={.items[*].reason}'])
  }
})
