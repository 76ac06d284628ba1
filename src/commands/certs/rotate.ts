import { BaseCommand } from '../../cli/base/base-command.ts'
import { dryRunFlag, nameArgument, yesFlag } from '../../cli/flags/flags.ts'
import { selectorFlags } from '../../cli/flags/selector-flags.ts'
import { rotateCertificates } from '../../control-plane/use-cases/rotate/rotate-certificates.ts'

export interface CertsRotateResult {
  name: string
  /** The certificates that were issued anew, or would be. */
  certificates: string[]
  dryRun: boolean
}

export default class CertsRotate extends BaseCommand {
  static override readonly summary = 'Issues the certificates of a control plane anew.'
  static override readonly description =
    'Those of its components, signed by the same CAs: clients, contexts and ServiceAccount tokens stay as they are, and nothing is stopped. Components take them up while they run; in a host cluster that takes about a minute. Certificates in their last 90 days are renewed by any command that looks at the plane, without this one.'
  static override readonly examples = [
    '<%= config.bin %> certs rotate dev',
    '<%= config.bin %> certs rotate dev --dry-run',
  ]
  static override readonly group = 'day two'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...selectorFlags,
    'dry-run': dryRunFlag(),
    yes: yesFlag(),
  }

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
        : `Issued ${certificates.length} certificates of "${plane.name}" anew.`,
    )
    return { name: plane.name, certificates, dryRun: isDryRun }
  }
}
