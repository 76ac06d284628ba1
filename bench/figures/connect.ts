import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alternate } from '../alternate.ts'
import { difference } from '../compare.ts'
import type { Figure } from '../figure.ts'

const KUBECTL = ['kubectl', 'get', 'namespaces']

/** What kubectl through vplane costs more than kubectl alone. */
export const connectFigure: Figure = {
  name: 'connect',
  async measure({ shortRounds, workspace }) {
    await workspace.vplane('create', 'connect')
    const { stdout } = await workspace.vplane('kubeconfig', 'connect', '--embed-credentials')
    const kubeconfig = join(workspace.folder, 'static.kubeconfig')
    writeFileSync(kubeconfig, stdout, { mode: 0o600 })
    await workspace.vplane('connect', 'connect')
    const measures = {
      kubectl: async () => (await workspace.run(KUBECTL, { KUBECONFIG: kubeconfig })).ms,
      connect: async () => (await workspace.vplane('connect', 'connect', '--', ...KUBECTL)).ms,
      plugin: async () => (await workspace.run(KUBECTL)).ms,
    }
    // kubectl keeps what it discovers of a server, and Node what it compiles.
    await alternate(2, measures)
    const samples = await alternate(shortRounds, measures)
    await workspace.vplane('delete', 'connect', '--yes')
    const to = { samples: 'kubectl', what: 'with a static kubeconfig' }
    const { connect, kubectl, plugin } = samples
    return [
      difference({
        name: 'connect',
        what: '`vplane connect dev -- kubectl get namespaces`',
        unit: 'ms',
        of: 'connect',
        to,
        target: 150,
        goal: 80,
        samples: { connect, kubectl },
      }),
      difference({
        name: 'plugin',
        what: '`kubectl get namespaces` through the context of `vplane connect`',
        unit: 'ms',
        of: 'plugin',
        to,
        target: 60,
        samples: { plugin, kubectl },
      }),
    ]
  },
}
