import { BaseCommand } from '../../cli/base/base-command.ts'
import { dryRunFlag, nameArgument, yesFlag } from '../../cli/flags/flags.ts'
import { selectorFlags } from '../../cli/flags/selector-flags.ts'
import { rotateCertificates } from '../../control-plane/use-cases/rotate/rotate-certificates.ts'

export interface CertsRotateResult {
  name: string
  /** The certificates that were renewed, or would be. */
  certificates: string[]
  dryRun: boolean
}

export default class CertsRotate extends BaseCommand {
  static override readonly summary = 'Renews the certificates of a control plane.'
  static override readonly description =
    'Renews the certificates of the components with the same CAs: clients, contexts and ServiceAccount tokens stay valid, and nothing is restarted. Components reload them while they run; in a host cluster this takes about a minute. Any command that reads a plane renews certificates in their last 90 days.'
  static override readonly examples = [
    '<%= config.bin %> certs rotate dev',
    '<%= config.bin %> certs rotate dev --dry-run',
  ]
  static override readonly group = 'day two'
  static override readonly isContinuable = true
  static override readonly args = { name: nameArgument() }
  static override readonly flags = { ...selectorFlags, 'dry-run': dryRunFlag(), yes: yesFlag() }

  async run(): Promise<CertsRotateResult> {
    const { args, flags } = await this.parse(CertsRotate)
    const { composition, selected } = await this.select(args.name, flags)
    const isDryRun = flags['dry-run']
    const { certificates, plane } = await rotateCertificates(composition, {
      ...selected,
      isConfirmed: flags.yes,
      isDryRun,
    })
    this.log(
      isDryRun
        ? 'Nothing was changed.'
        : `Renewed ${certificates.length} certificates of "${plane.name}".`,
    )
    return { name: plane.name, certificates, dryRun: isDryRun }
  }
}
