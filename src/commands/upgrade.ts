import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { changeFlags, changeOptionsOf } from '../cli/flags/change-flags.ts'
import {
  type ChangeOutcome,
  changeSentence,
  toChangeOutcome,
} from '../cli/results/change-outcome.ts'
import { nameArgument } from '../cli/flags/flags.ts'
import { upgradeControlPlane } from '../control-plane/use-cases/upgrade/upgrade-control-plane.ts'

export default class Upgrade extends BaseCommand {
  static override readonly summary = 'Brings a control plane to another version.'
  static override readonly description =
    'One minor at a time, and never back. etcd goes first; then the new kube-apiserver and kube-controller-manager run as the version before until they are ready, and the plane goes back by itself when they do not become so; of a plane that runs pods its syncer and CoreDNS follow them, and its pods run on. Objects that etcd holds in versions which the new one cannot read have to be written anew before, or given up. Without --version, a plane that an older vplane made gets the templates and flags of this one. Running it again goes on where it was cut off.'
  static override readonly examples = [
    '<%= config.bin %> upgrade dev --version 1.36',
    '<%= config.bin %> upgrade dev --dry-run',
  ]
  static override readonly group = 'day two'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...changeFlags,
    version: Flags.string({
      summary: 'Kubernetes version, such as 1.36 or 1.36.3.',
      helpValue: 'VERSION',
    }),
    'etcd-version': Flags.string({
      summary: 'Version of etcd; without it, the one that goes with --version.',
      helpValue: 'VERSION',
    }),
    'without-stale-objects': Flags.boolean({
      summary: 'Goes on without objects that etcd holds in versions which the new one cannot read.',
    }),
  }

  async run(): Promise<ChangeOutcome> {
    const { args, flags } = await this.parse(Upgrade)
    const { composition, selected } = await this.select(args.name, flags)
    const versions = { version: flags.version, etcdVersion: flags['etcd-version'] }
    const result = await upgradeControlPlane(composition, versions, {
      ...selected,
      ...changeOptionsOf(flags),
      withoutStaleObjects: flags['without-stale-objects'],
    })
    this.log(changeSentence(result))
    return toChangeOutcome(result)
  }
}
