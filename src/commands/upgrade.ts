import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { changeFlags, changeOptionsOf } from '../cli/flags/change-flags.ts'
import { type ChangeOutcome, reportChange } from '../cli/results/change-outcome.ts'
import { nameArgument } from '../cli/flags/flags.ts'
import { upgradeControlPlane } from '../control-plane/use-cases/upgrade/upgrade-control-plane.ts'

export default class Upgrade extends BaseCommand {
  static override readonly summary = 'Upgrades a control plane to a newer Kubernetes version.'
  static override readonly description =
    'Upgrades one minor version at a time; downgrades are not possible. etcd is upgraded first. The new kube-apiserver and kube-controller-manager then emulate the old version until they are ready; if they do not become ready, the plane is rolled back. The syncer and CoreDNS of a plane that runs pods follow, and its pods keep running. Objects stored in API versions that the new version cannot read must be rewritten first, or given up. Without --version, a plane that an older vplane created gets the templates and flags of this one. Run it again to continue after an interruption.'
  static override readonly examples = [
    '<%= config.bin %> upgrade dev --version 1.36',
    '<%= config.bin %> upgrade dev --dry-run',
  ]
  static override readonly group = 'day two'
  static override readonly isContinuable = true
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...changeFlags,
    version: Flags.string({
      summary: 'Kubernetes version, such as 1.36 or 1.36.3.',
      helpValue: 'VERSION',
    }),
    'etcd-version': Flags.string({
      summary: 'Version of etcd; by default the one that matches --version.',
      helpValue: 'VERSION',
    }),
    'without-stale-objects': Flags.boolean({
      summary: 'Continues although the new version cannot read some stored objects.',
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
    return reportChange(result, (sentence) => this.log(sentence))
  }
}
