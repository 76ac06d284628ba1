import { BaseCommand } from '../cli/base/base-command.ts'
import { hintTexts } from '../cli/catalog/hint-text.ts'
import { formatTable } from '../cli/output/table.ts'
import { EXIT_CODES } from '../shared/errors.ts'
import type { Finding } from '../control-plane/status/finding.ts'
import { examineMachine } from '../cli/examine-machine.ts'
import { readSettingLayers, toSettings, withFileSettings } from '../cli/settings/settings.ts'

export interface DoctorResult {
  findings: Array<Omit<Finding, 'hint'> & { hint?: string }>
}

export default class Doctor extends BaseCommand {
  static override readonly summary = 'Checks whether this machine can run control planes.'
  static override readonly description =
    'Checks folders, disk, memory, binaries, etcdutl, kubectl, kubeconfig, host cluster and its NetworkPolicies, and prints what to do. Like list, it also removes what killed commands left on this machine, and ephemeral planes from before a reboot. Exits 7 if something prevents vplane from working.'
  static override readonly examples = ['<%= config.bin %> doctor']
  static override readonly group = 'tools'

  async run(): Promise<DoctorResult> {
    await this.parse(Doctor)
    const { ui } = this
    const layers = await readSettingLayers(this.environment)
    const { hostContext } = toSettings(layers)
    const environment = withFileSettings(this.environment, layers)
    const findings = await examineMachine({ environment, ui, hostContext })
    const rows = findings.map(({ level, message, subject }) => ({
      check: subject,
      result: level,
      message,
    }))
    this.log(formatTable(['check', 'result', 'message'], rows, { width: process.stdout.columns }))
    for (const { hint = [], subject } of findings.filter(({ level }) => level !== 'ok')) {
      hintTexts([hint].flat()).forEach((text) => ui.note(`${subject}: ${text}`))
    }
    if (findings.some(({ level }) => level === 'problem')) {
      process.exitCode = EXIT_CODES.NEEDS_ATTENTION
    }
    return {
      findings: findings.map(({ hint, ...finding }) =>
        hint === undefined ? finding : { ...finding, hint: hintTexts([hint].flat()).join(', or ') },
      ),
    }
  }
}
