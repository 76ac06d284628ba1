import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import {
  type ConnectedPlane,
  connectedPlane,
  stoppable,
} from '../../support/cli/connected-plane.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { startInformer } from '../../support/api/informer.ts'

describeOnHost('a context whose way breaks', () => {
  let cli: HostCli
  let plane: ConnectedPlane

  beforeAll(async () => {
    cli = await createHostCli()
    plane = await connectedPlane(cli, 'dev', ['--set', 'apiServer.replicas=2'])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('works for the next command when the tunnel was killed, at the same address', async () => {
    const { port } = plane.tunnel()

    await plane.killTunnel()
    const { code, stderr } = await cli.kubectl(['get', 'namespaces'])

    expect(code, stderr).toBe(0)
    expect(plane.tunnel().port).toBe(port)
  })

  test('keeps an informer informed when the tunnel is killed', async () => {
    await using informer = await startInformer(cli)
    await plane.make('before-kill')
    await informer.sees('before-kill')

    await plane.killTunnel()
    await plane.make('after-kill')

    expect(await informer.sees('after-kill')).toContain('before-kill')
  })

  test('serves the next command at once when one of its pods is deleted during a watch', async () => {
    await using watch = stoppable(
      cli.start(['get', 'configmaps', '--watch', '--output', 'name'], {
        program: cli.binaries.kubectl,
      }),
    )
    await watch.says('kube-root-ca.crt')

    await plane.deletePods('one')
    const { code, stderr } = await cli.kubectl(['get', 'namespaces'])

    expect(code, stderr).toBe(0)
  })

  test('keeps an informer informed, and lets watches end, when all pods are replaced', async () => {
    await using informer = await startInformer(cli)
    await using watch = stoppable(
      cli.start(['get', 'configmaps', '--watch', '--output', 'name'], {
        program: cli.binaries.kubectl,
      }),
    )
    await plane.make('before-pods')
    await informer.sees('before-pods')
    await watch.says('configmap/before-pods\n')

    await plane.deletePods('all')
    await plane.make('after-pods')

    expect(await informer.sees('after-pods', 180_000)).toContain('before-pods')
    // kubectl takes the end of its watch for an end: it must not wait forever.
    expect((await watch.ended).stdout).toContain('configmap/before-pods\n')
  })
})
