import { value } from '../compare.ts'
import type { Figure } from '../figure.ts'
import type { HostLab } from '../host/host-lab.ts'
import { labelledObjects } from '../host/host-objects.ts'

const PLANE = 'bench-delete'

/** How soon nothing is left of a plane with a volume. */
export const hostDeleteFigure: Figure = {
  name: 'host-delete',
  async measure({ host: openHost, rounds }) {
    const host = await openHost()
    if (host === undefined) {
      return []
    }
    await using namespace = await host.namespace('bench-delete')
    const place = [PLANE, '--namespace', namespace.name]
    const samples = { volume: [] as number[], ephemeral: [] as number[] }
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, flags] of [
        ['volume', []],
        ['ephemeral', ['--ephemeral']],
      ] as const) {
        await host.vplane('create', ...place, ...flags)
        const { ms } = await host.vplane('delete', ...place, '--yes')
        samples[name].push(ms)
        await refuseLeftovers(host, namespace.name)
      }
    }
    return [
      value({
        name: 'host-delete',
        what: '`vplane delete` of a plane in a host namespace, until nothing is left',
        unit: 'ms',
        of: 'volume',
        target: 5000,
        samples,
      }),
    ]
  },
}

/** A delete that returns before it is done would look quick. */
async function refuseLeftovers(host: HostLab, namespace: string): Promise<void> {
  const left = await labelledObjects(host, namespace, `vplane.dev/name=${PLANE}`)
  if (left.length > 0) {
    throw new Error(`delete returned and left:\n${left.join('\n')}`)
  }
}
