import { alternate } from '../alternate.ts'
import { ratio } from '../compare.ts'
import { byPhase, formatPhases, type Phases, phasesOf } from '../create-phases.ts'
import type { Figure } from '../figure.ts'
import { startRawPlane } from '../raw-plane.ts'

/** How soon a new plane can be used, beside its three processes started by hand. */
export const createFigure: Figure = {
  name: 'create',
  async measure({ rounds, workspace }) {
    const phases: Phases[] = []
    const samples = await alternate(rounds, {
      create: async () => {
        const startedAt = Date.now()
        const { ms } = await workspace.vplane('create', 'create', '--no-connect')
        phases.push(phasesOf(workspace, 'create', { startedAt, ms }))
        await workspace.vplane('delete', 'create', '--yes')
        return ms
      },
      raw: () => startRawPlane(workspace, 'at once'),
      ordered: () => startRawPlane(workspace, 'in order'),
    })
    const { create, ordered, raw } = samples
    const notes = [`time of each step: ${formatPhases(phases)}`]
    const name = 'create'
    return [
      ratio({
        name,
        what: '`vplane create`, until the plane is ready',
        unit: 'ms',
        of: 'create',
        to: { samples: 'raw', what: 'three processes started by hand, all at once' },
        target: 1.2,
        goal: 1.05,
        samples: { create, raw, ...byPhase(phases) },
        notes,
      }),
      ratio({
        name: 'create-ordered',
        what: '`vplane create`, until the plane is ready',
        unit: 'ms',
        of: 'create',
        to: { samples: 'ordered', what: 'the same, one after the other' },
        samples: { create, ordered },
      }),
    ]
  },
}
