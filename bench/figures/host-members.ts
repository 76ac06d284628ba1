import { total, value } from '../compare.ts'
import type { Figure } from '../figure.ts'
import { formatWrites, writeMeanwhile, type WrittenMeanwhile } from '../host/host-writer.ts'
import { median } from '../statistics.ts'

const NAME = 'bench-members'

/** How soon etcd of a plane has three members while a client writes, and whether each write exists afterwards. */
export const hostMembersFigure: Figure = {
  name: 'host-members',
  async measure({ host: openHost, rounds }) {
    const host = await openHost()
    if (host === undefined) {
      return []
    }
    await using namespace = await host.namespace(NAME)
    const place = [NAME, '--namespace', namespace.name]
    const scaleTo = (members: number) =>
      writeMeanwhile(host, place, () =>
        host.vplane('scale', ...place, '--etcd', String(members), '--yes'),
      )
    await host.vplane('create', ...place)
    const up: WrittenMeanwhile[] = []
    const down: WrittenMeanwhile[] = []
    for (let round = 0; round < rounds; round += 1) {
      up.push(await scaleTo(3))
      down.push(await scaleTo(1))
    }
    await host.vplane('delete', ...place, '--yes')
    const both = [...up, ...down]
    const back = down.map(({ ms }) => ms)
    return [
      value({
        name: 'host-members',
        what: '`vplane scale --etcd 3` of a plane with one member, while a client writes',
        unit: 'ms',
        of: 'up',
        target: 40_000,
        samples: { up: up.map(({ ms }) => ms), back },
        notes: [`back to one member in ${(median(back) / 1000).toFixed(1)} s`],
      }),
      total({
        name: 'host-members-lost',
        what: 'the same and back to one member: acknowledged writes that were lost, in all rounds',
        unit: 'writes',
        of: 'lost',
        target: 0,
        samples: { lost: both.map(({ lost }) => lost), taken: both.map(({ taken }) => taken) },
        notes: [formatWrites(both)],
      }),
    ]
  },
}
