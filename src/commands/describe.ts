import { outputFlag } from '../cli/flags/output-flag.ts'
import { BaseCommand } from '../cli/base/base-command.ts'
import { planeDescription } from '../cli/output/plane-description.ts'
import { nameArgument } from '../cli/flags/flags.ts'
import { selectorFlags } from '../cli/flags/selector-flags.ts'
import { type PlaneDetails, toPlaneDetails } from '../cli/results/plane-result.ts'
import { describeControlPlane } from '../control-plane/use-cases/find/list-control-planes.ts'

export default class Describe extends BaseCommand {
  static override readonly aliases = ['status']
  static override readonly summary = 'Shows a control plane in detail.'
  static override readonly description =
    'Shows the state of each component with the reason, its address, when certificates expire, key rotations in progress, and the spec. For a plane in a host cluster, also replicas, images, endpoints and the events of the last hour.'
  static override readonly examples = [
    '<%= config.bin %> describe dev',
    '<%= config.bin %> describe dev --json',
  ]
  static override readonly group = 'planes'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = { ...selectorFlags, output: outputFlag('json', 'yaml') }

  async run(): Promise<PlaneDetails> {
    const { args, flags } = await this.parse(Describe)
    const { composition, selected } = await this.select(args.name, flags)
    const described = await describeControlPlane(composition, {
      ...selected,
    })
    this.log(planeDescription(described, { now: new Date(), width: process.stdout.columns }))
    return toPlaneDetails(described)
  }
}
