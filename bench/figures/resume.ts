import { ratio } from '../compare.ts'
import type { Figure } from '../figure.ts'

/** How soon a paused plane can be used again. */
export const resumeFigure: Figure = {
  name: 'resume',
  async measure({ rounds, workspace }) {
    const samples = { resume: [] as number[], create: [] as number[] }
    for (let round = 0; round < rounds; round += 1) {
      const { ms: create } = await workspace.vplane('create', 'resume', '--no-connect')
      await workspace.vplane('pause', 'resume')
      const { ms: resume } = await workspace.vplane('resume', 'resume')
      await workspace.vplane('delete', 'resume', '--yes')
      samples.create.push(create)
      samples.resume.push(resume)
    }
    return [
      ratio({
        name: 'resume',
        what: '`vplane resume` of a paused plane',
        unit: 'ms',
        of: 'resume',
        to: { samples: 'create', what: '`vplane create`' },
        target: 0.9,
        samples,
      }),
    ]
  },
}
