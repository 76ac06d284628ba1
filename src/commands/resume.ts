import type { PlanStep } from '../shared/plan-step.ts'
import { SeveralPlanesCommand } from '../cli/base/several-planes-command.ts'
import { dryRunFlag, timeoutFlag } from '../cli/flags/flags.ts'
import { selectorFlags } from '../cli/flags/selector-flags.ts'
import { namesArgument, severalFlags } from '../cli/flags/several-flags.ts'
import type { SeveralResult } from '../cli/results/several-result.ts'
import {
  previewResume,
  resumeControlPlane,
} from '../control-plane/use-cases/stop/pause-control-plane.ts'

export interface ResumeResult {
  name: string
  /** Null with --dry-run. */
  status: 'Ready' | null
  /** What would be done; only with --dry-run. */
  steps: PlanStep[]
}

export default class Resume extends SeveralPlanesCommand {
  static override readonly aliases = ['start']
  static override readonly summary = 'Starts paused or stopped control planes.'
  static override readonly description = 'Returns when the API is ready.'
  static override readonly examples = [
    '<%= config.bin %> resume dev',
    '<%= config.bin %> resume -l team=shop',
  ]
  static override readonly group = 'planes'
  static override readonly args = { name: namesArgument() }
  static override readonly flags = {
    ...selectorFlags,
    ...severalFlags,
    'dry-run': dryRunFlag(),
    timeout: timeoutFlag(),
  }

  protected override readonly words = { doing: 'Resuming', done: 'ready' }

  async run(): Promise<ResumeResult | SeveralResult<ResumeResult>> {
    const { argv, flags } = await this.parse(Resume)
    return this.workOn({ names: argv, flags }, async ({ composition, say, selected }) => {
      const { name } = selected
      if (flags['dry-run']) {
        const steps = await previewResume(composition, selected)
        say('Nothing was changed.')
        return { name, status: null, steps }
      }
      await resumeControlPlane(composition, { ...selected, timeoutMs: flags.timeout })
      say(`"${name}" is ready.`)
      return { name, status: 'Ready', steps: [] }
    })
  }
}
