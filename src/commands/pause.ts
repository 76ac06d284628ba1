import { BaseCommand } from '../cli/base-command.ts'
import { nameArgument } from '../cli/flags.ts'
import { selectorFlags } from '../cli/selector-flags.ts'
import { wordsOf } from '../control-plane/use-cases/plane-words.ts'

export interface PauseResult {
  name: string
  status: 'Paused'
}

export default class Pause extends BaseCommand {
  static override readonly summary = 'Stops a control plane and keeps its data and contexts.'
  static override readonly description =
    'A paused plane costs no memory. resume, or any use of its context, starts it again.'
  static override readonly examples = ['<%= config.bin %> pause dev']
  static override readonly group = 'planes'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = selectorFlags

  async run(): Promise<PauseResult> {
    const { args, flags } = await this.parse(Pause)
    const { pauseControlPlane } = await import('../control-plane/use-cases/pause-control-plane.ts')
    const composition = await this.compose(flags)
    const selector = await this.selectPlane(args.name, flags, composition)
    const plane = await pauseControlPlane(composition, { ...selector, signal: this.signal })
    const { name } = plane
    this.log(
      `Paused "${name}". Its data is kept; ${this.config.bin} resume ${wordsOf(plane)} starts it again.`,
    )
    return { name, status: 'Paused' }
  }
}
