import { BaseCommand } from '../../cli/base/base-command.ts'
import { type KeeperResult, startsWhen, toKeeperResult } from '../../cli/results/keeper-result.ts'

export default class KeeperInstall extends BaseCommand {
  static override readonly summary = 'Starts the keeper of this machine at every login.'
  static override readonly description =
    'Installs a service of your systemd that runs the keeper, which wakes, pauses and backs up control planes on this machine. Without the service, vplane starts the keeper with the next command after a reboot. Run it again when vplane has moved.'
  static override readonly examples = ['<%= config.bin %> keeper install']
  static override readonly group = 'tools'

  async run(): Promise<KeeperResult> {
    await this.parse(KeeperInstall)
    const service = await (await this.compose()).openKeeperService()
    const result = toKeeperResult(await service.install())
    this.log(`The keeper runs as a service. It starts ${startsWhen(result)}.`)
    return result
  }
}
