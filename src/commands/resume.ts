import type { PlanStep } from '../shared/plan-step.ts'
import { BaseCommand } from '../cli/base/base-command.ts'
import { dryRunFlag, nameArgument, timeoutFlag } from '../cli/flags/flags.ts'
import { selectorFlags } from '../cli/flags/selector-flags.ts'
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

export default class Resume extends BaseCommand {
  static override readonly aliases = ['start']
  static override readonly summary = 'Starts a paused or stopped control plane.'
  static override readonly description = 'Returns when the API is ready.'
  static override readonly examples = ['<%= config.bin %> resume dev']
  static override readonly group = 'planes'
  static override readonly isContinuable = true
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...selectorFlags,
    'dry-run': dryRunFlag(),
    timeout: timeoutFlag(),
  }

  async run(): Promise<ResumeResult> {
    const { args, flags } = await this.parse(Resume)
    const composition = await this.compose(flags)
    const selector = await this.selectPlane(args.name, flags, composition)
    const { name } = selector
    if (flags['dry-run']) {
      const steps = await previewResume(composition, selector)
      this.log('Nothing was changed.')
      return { name, status: null, steps }
    }
    const options = { timeoutMs: flags.timeout, signal: this.signal }
    await resumeControlPlane(composition, { ...selector, ...options })
    this.log(`"${name}" is ready.`)
    return { name, status: 'Ready', steps: [] }
  }
}
