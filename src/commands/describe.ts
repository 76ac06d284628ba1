import { BaseCommand } from '../cli/base-command.ts'
import { planeDescription } from '../cli/plane-description.ts'
import { driverSelectorFlag, nameArgument } from '../cli/flags.ts'
import { type PlaneDetails, toPlaneDetails } from '../cli/plane-result.ts'

export default class Describe extends BaseCommand {
  static override readonly summary = 'Shows a control plane in detail.'
  static override readonly description =
    'Says how each component is and why, where it listens, when certificates end, and the spec it was made with.'
  static override readonly examples = [
    '<%= config.bin %> describe dev',
    '<%= config.bin %> describe dev --json',
  ]
  static override readonly group = 'planes'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = { driver: driverSelectorFlag() }

  async run(): Promise<PlaneDetails> {
    const { args, flags } = await this.parse(Describe)
    const { describeControlPlane } =
      await import('../control-plane/use-cases/list-control-planes.ts')
    const composition = await this.compose()
    const name = await this.nameOrChoice(args.name, composition)
    const described = await describeControlPlane(composition, { name, ...flags })
    this.log(planeDescription(described, new Date()))
    return toPlaneDetails(described)
  }
}
