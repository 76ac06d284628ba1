import { Flags } from '@oclif/core'
import { SeveralPlanesCommand } from '../cli/base/several-planes-command.ts'
import { changeFlags, changeOptionsOf } from '../cli/flags/change-flags.ts'
import { type ChangeOutcome, reportChange } from '../cli/results/change-outcome.ts'
import { namesArgument, severalFlags } from '../cli/flags/several-flags.ts'
import type { SeveralResult } from '../cli/results/several-result.ts'
import { upgradeControlPlane } from '../control-plane/use-cases/upgrade/upgrade-control-plane.ts'

export default class Upgrade extends SeveralPlanesCommand {
  static override readonly summary = 'Upgrades control planes to a newer Kubernetes version.'
  static override readonly description =
    'Upgrades one minor version at a time; downgrades are not possible. etcd is upgraded first. The new kube-apiserver and kube-controller-manager then emulate the old version until they are ready; if they do not become ready, the plane is rolled back. The syncer and CoreDNS of a plane that runs pods follow, and its pods keep running. Objects stored in API versions that the new version cannot read must be rewritten first, or given up. Without --version, a plane that an older vplane created gets the templates, the flags and the kine of this one. Run it again to continue after an interruption.'
  static override readonly examples = [
    '<%= config.bin %> upgrade dev --version 1.36',
    '<%= config.bin %> upgrade dev --dry-run',
    '<%= config.bin %> upgrade -l team=shop --version 1.36 --parallel 4',
  ]
  static override readonly group = 'day two'
  static override readonly args = { name: namesArgument() }
  static override readonly flags = {
    ...changeFlags,
    ...severalFlags,
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

  protected override readonly words = { doing: 'Upgrading', done: 'upgraded' }

  async run(): Promise<ChangeOutcome | SeveralResult<ChangeOutcome>> {
    const { argv, flags } = await this.parse(Upgrade)
    const versions = { version: flags.version, etcdVersion: flags['etcd-version'] }
    const question = (planes: string) => `Upgrade ${planes}?`
    return this.workOn(
      { names: argv, flags, question },
      async ({ composition, say, selected, ...one }) => {
        const result = await upgradeControlPlane(composition, versions, {
          ...selected,
          ...changeOptionsOf(flags),
          isConfirmed: one.isConfirmed,
          withoutStaleObjects: flags['without-stale-objects'],
        })
        return reportChange(result, say)
      },
    )
  }
}
