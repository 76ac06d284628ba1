import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { changeFlags, changeOptionsOf } from '../cli/flags/change-flags.ts'
import { nameArgument } from '../cli/flags/flags.ts'
import {
  type RepairOutcome,
  repairSentence,
  toRepairOutcome,
} from '../cli/results/repair-outcome.ts'
import { repairControlPlane } from '../control-plane/use-cases/repair/repair-control-plane.ts'

export default class Repair extends BaseCommand {
  static override readonly summary = 'Finds what is wrong with a control plane and puts it right.'
  static override readonly description =
    'Starts what does not run, restarts what is stuck, gives a member of etcd that has lost its data or cannot read it that of the others, takes members out of etcd that a command which was killed left behind, and makes room in a full etcd. Nothing is lost by that. When etcd has lost its majority, or there is no other copy, it changes nothing and says what there is to choose from. Exits 7 when something is left to do.'
  static override readonly examples = [
    '<%= config.bin %> repair dev',
    '<%= config.bin %> repair dev --dry-run',
    '<%= config.bin %> repair dev --from-survivor',
  ]
  static override readonly group = 'day two'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...changeFlags,
    wait: Flags.boolean({
      summary: 'With the majority of etcd lost: waits for members to come back.',
      exclusive: ['from-survivor'],
    }),
    'from-survivor': Flags.boolean({
      summary: 'With the majority of etcd lost: goes on from the member that knows most.',
    }),
  }

  async run(): Promise<RepairOutcome> {
    const { args, flags } = await this.parse(Repair)
    const { composition, selected } = await this.select(args.name, flags)
    const strategy = flags.wait ? 'wait' : flags['from-survivor'] ? 'from-survivor' : undefined
    const result = await repairControlPlane(composition, {
      ...selected,
      ...changeOptionsOf(flags),
      strategy,
    })
    this.log(repairSentence(result))
    return toRepairOutcome(result)
  }
}
