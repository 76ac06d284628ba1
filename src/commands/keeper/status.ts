import { BaseCommand } from '../../cli/base/base-command.ts'
import { hintText } from '../../cli/catalog/hint-text.ts'
import { outputFlag } from '../../cli/flags/output-flag.ts'
import { type KeeperResult, startsWhen, toKeeperResult } from '../../cli/results/keeper-result.ts'

export default class KeeperStatus extends BaseCommand {
  static override readonly summary = 'Shows whether the keeper of this machine runs.'
  static override readonly description =
    'Shows its service, too: whether it is installed, when it starts, and whether it starts this vplane.'
  static override readonly examples = ['<%= config.bin %> keeper status']
  static override readonly group = 'tools'
  static override readonly flags = { output: outputFlag('json', 'yaml') }

  async run(): Promise<KeeperResult> {
    await this.parse(KeeperStatus)
    const service = await (await this.compose()).openKeeperService()
    const result = toKeeperResult(await service.status())
    const { current, enabled, file, installed, running, state } = result
    this.log(running ? 'A keeper runs.' : 'No keeper runs.')
    if (!installed) {
      this.log(
        'No service is installed. The next vplane command starts a keeper if a control plane needs one.',
      )
      return result
    }
    this.log(`service: ${state}, starts ${enabled ? startsWhen(result) : 'not by itself'}`)
    this.log(`unit:    ${file}`)
    if (!current || !enabled || state !== 'active') {
      const isStill = `is ${enabled ? state : 'disabled'}`
      this.ui.warn(
        current
          ? `the service ${isStill}`
          : 'the unit file is out of date: it names another vplane or another VPLANE_HOME',
      )
      this.ui.note(hintText({ action: 'install-keeper', purpose: 'to repair it' }))
    }
    return result
  }
}
