import { Args, Flags } from '@oclif/core'
import { outputFlag } from '../../cli/flags/output-flag.ts'
import { BaseCommand } from '../../cli/base/base-command.ts'
import { certificateTable, certificateWarnings } from '../../cli/output/certificate-check.ts'
import { parseDays } from '../../shared/text/duration.ts'
import { selectorFlags, selectorOf } from '../../cli/flags/selector-flags.ts'
import { parseName } from '../../control-plane/plane/names.ts'
import { EXIT_CODES } from '../../shared/errors.ts'
import { checkCertificates } from '../../control-plane/use-cases/rotate/check-certificates.ts'

export interface CertsCheckResult {
  certificates: Array<{
    plane: string
    driver: string
    namespace: string | null
    name: string
    kind: 'authority' | 'leaf' | 'key' | 'kubeconfig'
    subject: string | null
    /** ISO 8601; null for keys, which do not expire. */
    expiresAt: string | null
    /** It has expired, or expires within --within. */
    ending: boolean
  }>
  /** What could not be checked, when all planes are checked; all planes of a driver if the plane is null. */
  unchecked: Array<{
    plane: string | null
    driver: string
    namespace: string | null
    reason: string
  }>
}

export default class CertsCheck extends BaseCommand {
  static override readonly summary = 'Shows when certificates expire.'
  static override readonly description =
    'Lists the CAs, component certificates and keys of one or all control planes, and the client certificates in your kubeconfig. Keys do not expire. Renews nothing. Exits 7 if a certificate has expired or expires within --within, or if a plane cannot be checked.'
  static override readonly examples = [
    '<%= config.bin %> certs check',
    '<%= config.bin %> certs check dev --within 90d',
  ]
  static override readonly group = 'day two'
  static override readonly args = {
    name: Args.string({
      description: 'Name of the control plane; without it, all.',
      parse: async (text) => parseName(text),
    }),
  }
  static override readonly flags = {
    ...selectorFlags,
    output: outputFlag('json', 'yaml'),
    within: Flags.custom<number>({
      summary: 'Time that certificates must stay valid: 30d, 12h.',
      helpValue: 'DURATION',
      parse: async (text) => parseDays(text),
      default: parseDays('30d'),
      defaultHelp: async () => '30d',
    })(),
  }

  async run(): Promise<CertsCheckResult> {
    const { args, flags } = await this.parse(CertsCheck)
    const now = new Date()
    const { certificates, unchecked } = await checkCertificates(await this.compose(flags), {
      ...selectorOf(flags),
      name: args.name,
      withinMs: flags.within,
      now,
    })
    this.log(certificateTable(certificates, { now, width: process.stdout.columns }))
    const warnings = certificateWarnings({ certificates, unchecked }, this.config.bin)
    if (warnings.length > 0) {
      warnings.forEach((warning) => this.ui.warn(warning))
      process.exitCode = EXIT_CODES.NEEDS_ATTENTION
    }
    return {
      certificates: certificates.map(({ expiresAt, isEnding, kind, name, plane, subject }) => ({
        plane: plane.name,
        driver: plane.driver,
        namespace: plane.namespace ?? null,
        name,
        kind,
        subject: subject ?? null,
        expiresAt: expiresAt?.toISOString() ?? null,
        ending: isEnding,
      })),
      unchecked: unchecked.map(({ driver, plane, reason }) => ({
        plane: plane?.name ?? null,
        driver,
        namespace: plane?.namespace ?? null,
        reason,
      })),
    }
  }
}
