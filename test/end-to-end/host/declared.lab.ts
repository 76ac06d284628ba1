import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'

// In their order: all of them are about one operator.
describeOnHost('a declared plane', { shuffle: false }, () => {
  let cli: HostCli
  let namespace: string
  let at: string[]

  const read = (name: string) => cli.hostJson(['get', 'vcp', name, ...at])
  const kubectl = (name: string, ...words: string[]) =>
    cli.ok(['connect', name, ...at, '--', 'kubectl', ...words])

  beforeAll(async () => {
    cli = await createHostCli()
    namespace = await cli.makeNamespace(RESTRICTED)
    at = ['--namespace', namespace]
  })
  afterAll(async () => {
    await cli.run(['operator', 'uninstall', ...at, '--yes'])
    await cli.run(['delete', 'dev', ...at, '--yes', '--ignore-not-found'])
    await cli[Symbol.asyncDispose]()
  })

  test('is not created where no operator makes planes', async () => {
    const { code, stderr } = await cli.run(['create', 'dev', ...at, '--declare'])

    expect(code).toBe(3)
    expect(stderr).toContain(`no operator makes planes in namespace "${namespace}"`)
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
})
