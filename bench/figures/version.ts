import { alternate } from '../alternate.ts'
import { ratio } from '../compare.ts'
import type { Figure } from '../figure.ts'

/** How soon the smallest command is done. */
export const versionFigure: Figure = {
  name: 'version',
  async measure({ shortRounds, workspace }) {
    const measureKubectl = async () => {
      const { ms } = await workspace.run(['kubectl', 'version', '--client'])
      return ms
    }
    await workspace.vplane('--version')
    await measureKubectl()
    const samples = await alternate(shortRounds, {
      vplane: async () => (await workspace.vplane('--version')).ms,
      kubectl: measureKubectl,
    })
    return [
      ratio({
        name: 'version',
        what: '`vplane --version`',
        unit: 'ms',
        of: 'vplane',
        to: { samples: 'kubectl', what: '`kubectl version --client`' },
        target: 1,
        samples,
      }),
    ]
  },
}
