import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInOwnLab } from '../../lab/describe-lab.ts'
import { startLab } from '../../lab/lab.ts'
import { type ConnectedPlane, connectedPlane } from '../../support/cli/connected-plane.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { startInformer } from '../../support/api/informer.ts'

describeInOwnLab('a host whose API server stops', () => {
  let cli: HostCli
  let plane: ConnectedPlane
  const owned = new AsyncDisposableStack()

  beforeAll(async () => {
    const lab = owned.use(await startLab({ isOwn: true }))
    cli = owned.use(await createHostCli({ lab }))
    plane = await connectedPlane(cli, 'dev')
  })
  afterAll(() => owned.disposeAsync())

  test('keeps no command waiting, and has everybody informed when it is back', async () => {
    await using informer = await startInformer(cli)
    await plane.make('before')
    await informer.sees('before')

    await cli.lab.stopApiServer()
    const meanwhile = await cli.kubectl(['get', 'namespaces'])
    await cli.lab.startApiServer()
    await plane.make('after')

    expect(meanwhile.code).toBe(1)
    expect(await informer.sees('after', 120_000)).toContain('before')
    expect(cli.processes()).toHaveLength(1)
  })
})
