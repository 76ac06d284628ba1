import { ratio } from '../compare.ts'
import type { Figure } from '../figure.ts'
import { median } from '../statistics.ts'

const NAME = 'bench-resume'

/** How soon a paused plane in a host namespace can be used again. */
export const hostResumeFigure: Figure = {
  name: 'host-resume',
  async measure({ host: openHost, rounds }) {
    const host = await openHost()
    if (host === undefined) {
      return []
    }
    await using namespace = await host.namespace(NAME)
    const place = [NAME, '--namespace', namespace.name]
    const samples = { resume: [] as number[], create: [] as number[], pause: [] as number[] }
    for (let round = 0; round < rounds; round += 1) {
      samples.create.push((await host.vplane('create', ...place)).ms)
      samples.pause.push((await host.vplane('pause', ...place)).ms)
      samples.resume.push((await host.vplane('resume', ...place)).ms)
      await host.vplane('delete', ...place, '--yes')
    }
    const pause = `\`vplane pause\`, with its snapshot, takes ${(median(samples.pause) / 1000).toFixed(2)} s`
    return [
      ratio({
        name: 'host-resume',
        what: '`vplane resume` of a paused plane in a host namespace, with a volume',
        unit: 'ms',
        of: 'resume',
        to: { samples: 'create', what: '`vplane create` of this plane' },
        target: 1,
        samples,
        notes: [pause],
      }),
    ]
  },
}
