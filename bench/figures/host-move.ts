import { fillConfigMaps } from '../../test/support/data/fill-config-maps.ts'
import { alternate } from '../alternate.ts'
import { difference } from '../compare.ts'
import type { Figure } from '../figure.ts'
import { accessIn } from '../static-kubeconfig.ts'

const NAME = 'bench-move'
const OBJECTS = 10_000
const AT_ONCE = 24

/** How soon a plane with many objects is in another host namespace, compared with the creation of an empty one. */
export const hostMoveFigure: Figure = {
  name: 'host-move',
  async measure({ host: openHost, rounds, say }) {
    const host = await openHost()
    if (host === undefined) {
      return []
    }
    await using here = await host.namespace(`${NAME}-here`)
    await using there = await host.namespace(`${NAME}-there`)
    let from = here.name
    let to = there.name
    await host.vplane('create', NAME, '--namespace', from)
    const kubeconfig = ['kubeconfig', NAME, '--namespace', from, '--embed-credentials']
    const { stdout } = await host.vplane(...kubeconfig)
    await fillConfigMaps(accessIn(stdout), { count: OBJECTS, atOnce: AT_ONCE })
    say(`${OBJECTS} objects are there`)
    const keys: number[] = []
    const samples = await alternate(rounds, {
      move: async () => {
        const target = ['--to-namespace', to, '--yes', '--json']
        const moved = await host.vplane('move', NAME, '--namespace', from, ...target)
        const outcome: { keys: number } = JSON.parse(moved.stdout)
        keys.push(outcome.keys)
        ;[from, to] = [to, from]
        return moved.ms
      },
      create: async () => {
        const place = ['bench-beside', '--namespace', to]
        const { ms } = await host.vplane('create', ...place)
        await host.vplane('delete', ...place, '--yes')
        return ms
      },
    })
    await host.vplane('delete', NAME, '--namespace', from, '--yes')
    return [
      difference({
        name: 'host-move',
        what: `\`vplane move\` of a plane with ${OBJECTS} objects to another host namespace`,
        unit: 'ms',
        of: 'move',
        to: { samples: 'create', what: '`vplane create`' },
        target: 30_000,
        samples,
        notes: [`${Math.min(...keys)} keys were compared`],
      }),
    ]
  },
}
