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
  static override readonly summary = 'Finds faults of a control plane and repairs them.'
  static override readonly description =
    'Starts components that do not run, restarts those that hang, replaces etcd members whose data is lost or damaged, removes members that an interrupted command left behind, and frees space in a full etcd. No data is lost. If etcd has lost its majority, or no other copy exists, it changes nothing and lists your options. Exits 7 if something is left to do.'
  static override readonly examples = [
    '<%= config.bin %> repair dev',
    '<%= config.bin %> repair dev --dry-run',
    '<%= config.bin %> repair dev --from-survivor',
  ]
  static override readonly group = 'day two'
  static override readonly isContinuable = true
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...changeFlags,
    wait: Flags.boolean({
      summary: 'If etcd has lost its majority: waits for members to return.',
      exclusive: ['from-survivor'],
    }),
    'from-survivor': Flags.boolean({
      summary: 'If etcd has lost its majority: continues from the most recent member.',
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
