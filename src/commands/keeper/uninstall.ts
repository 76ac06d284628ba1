import { BaseCommand } from '../../cli/base/base-command.ts'

export interface KeeperUninstallResult {
  /** Whether the service existed. */
  removed: boolean
}

export default class KeeperUninstall extends BaseCommand {
  static override readonly summary = 'Removes the service of the keeper.'
  static override readonly description =
    'Control planes stay as they are. A keeper continues until the machine is stopped, if one of them needs it, and the next command starts it again.'
  static override readonly examples = ['<%= config.bin %> keeper uninstall']
  static override readonly group = 'tools'

  async run(): Promise<KeeperUninstallResult> {
    await this.parse(KeeperUninstall)
    const service = await (await this.compose()).openKeeperService()
    const removed = await service.uninstall()
    this.log(removed ? 'Removed the service of the keeper.' : 'The keeper has no service.')
    return { removed }
  }
}
