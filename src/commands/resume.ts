import { BaseCommand } from '../cli/base-command.ts'
import { driverSelectorFlag, nameArgument, timeoutFlag } from '../cli/flags.ts'

export interface ResumeResult {
  name: string
  status: 'Ready'
}

export default class Resume extends BaseCommand {
  static override readonly summary = 'Starts a paused or stopped control plane.'
  static override readonly description = 'Returns when its API can be used.'
  static override readonly examples = ['<%= config.bin %> resume dev']
  static override readonly group = 'planes'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = { driver: driverSelectorFlag(), timeout: timeoutFlag() }

  async run(): Promise<ResumeResult> {
    const { args, flags } = await this.parse(Resume)
    const { resumeControlPlane } = await import('../control-plane/use-cases/pause-control-plane.ts')
    const composition = await this.compose()
    const name = await this.nameOrChoice(args.name, composition)
    const { timeout: timeoutMs, ...selector } = flags
    await resumeControlPlane(composition, { name, ...selector, timeoutMs, signal: this.signal })
    this.log(`"${name}" is ready.`)
    return { name, status: 'Ready' }
  }
}
