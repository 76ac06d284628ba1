import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { claim } from '../../support/host/planes/workloads.ts'
import { until } from '../../support/until.ts'

describeOnHost('a plane that runs pods', { shuffle: false }, () => {
  let cli: HostCli
  let namespace: string
  let plane: string[]

  beforeAll(async () => {
    cli = await createHostCli()
    namespace = cli.newNamespace()
    plane = ['dev', '--namespace', namespace]
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('takes the volumes of its pods along when it is deleted, unless its data is kept', async () => {
    const claims = async () => {
      const found = await cli.host(['get', 'pvc', '-n', namespace, '--output', 'name'])
      return found.split('\n').filter((one) => one.includes('-x-'))
    }
    await cli.ok(['create', ...plane, '--sync', '--connect'])
    await cli.kubectl(['apply', '--filename', '-'], { input: JSON.stringify(claim('data')) })
    await until('the host claim', async () => (await claims()).length === 1)

    const asked = await cli.run(['delete', ...plane])
    await cli.ok(['delete', ...plane, '--keep-data', '--yes'])
    const kept = await claims()
    await cli.ok(['create', ...plane, '--sync', '--adopt'])
    const again = await claims()
    await cli.ok(['delete', ...plane, '--yes'])

    expect(asked.stderr).toContain('with the volumes of its pods (default/data)')
    expect(kept).toHaveLength(1)
    expect(again).toEqual(kept)
    expect(await claims()).toEqual([])
  })

  test('is not waited for when its syncer cannot run', async () => {
    const image = ['--set', 'sync.image=localhost/none:1', '--set', 'images.pullPolicy=Never']
    const { code, stderr } = await cli.run(['create', ...plane, '--sync', '--ephemeral', ...image])
    await cli.ok(['delete', ...plane, '--yes'])

    expect(code, stderr).toBe(7)
    expect(stderr).toContain(
      'syncer of "dev" cannot run: image "localhost/none:1" is not on the node',
    )
    expect(stderr).toContain('hint: --set images.pullPolicy=IfNotPresent')
  })
})
