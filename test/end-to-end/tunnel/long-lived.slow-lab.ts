import { beforeAll, expect, test } from 'vitest'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { connectedPlane, stoppable } from '../../support/cli/connected-plane.ts'
import { goProgram } from '../../support/programs/go-program.ts'
import { createHostCli } from '../../support/host/host-cli.ts'
import { startInformer } from '../../support/api/informer.ts'

/** Clients ask for a credential once a minute, and may have waited for half of one before. */
const HEALED_MS = 180_000

// Nobody but the client itself is there to have the tunnel started again: no kubectl goes by the context meanwhile.
describeOnHost.concurrent('a client that lives for long', () => {
  let program: string

  // What has to be built is built before times count.
  beforeAll(async () => {
    program = await goProgram('asker')
  })

  test('has the tunnel started again after it was killed', async () => {
    await using cli = await createHostCli()
    const plane = await connectedPlane(cli, 'killed')
    await using informer = await startInformer(cli)
    await informer.sees('kube-root-ca.crt')

    await plane.killTunnel()
    const aside = ['connect', 'killed', '--namespace', plane.namespace, '--']
    await cli.ok([...aside, 'kubectl', 'create', 'configmap', 'after'])

    expect(await informer.sees('after', HEALED_MS)).toContain('after')
    expect(cli.processes()).toHaveLength(1)
  })

  test('has the tunnel started again after it ended for want of use', async () => {
    await using cli = await createHostCli()
    const plane = await connectedPlane(cli, 'idle')
    await cli.ok(['connect', 'idle', '--namespace', plane.namespace, '--idle-timeout', '1s'])
    const { port } = plane.tunnel()
    await using asker = stoppable(cli.start([], { program }))
    const ask = async (number: number) => {
      asker.child.kill('SIGUSR1')
      const said = await asker.says(`\n${number} `)
      return said.includes(`\n${number} answered`)
    }
    let count = 0
    const answered = () =>
      waitFor(async () => ask((count += 1)), { what: 'an answer', timeoutMs: HEALED_MS })
    await asker.says('ready')
    // The first question may come just when the tunnel ends.
    await answered()

    await plane.tunnelEnded()
    await answered()

    expect(plane.tunnel().port).toBe(port)
  })
})
