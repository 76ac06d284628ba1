import { listControlPlanes } from '../control-plane/use-cases/list-control-planes.ts'
import { BaseCommand } from '../cli/base-command.ts'
import { type PlaneResult, toPlaneResult } from '../cli/plane-result.ts'
import { planeTable } from '../cli/plane-table.ts'

export default class List extends BaseCommand {
  static override readonly aliases = ['ls']
  static override readonly summary = 'Lists your control planes and how they are now.'
  static override readonly description =
    'STATUS is looked up, not remembered: Ready means that the API answers. CONNECTED says that a context of your kubeconfig leads to it. CERTS is the time until its first certificate ends.'
  static override readonly examples = ['<%= config.bin %> list', '<%= config.bin %> list --json']
  static override readonly group = 'planes'

  async run(): Promise<PlaneResult[]> {
    await this.parse(List)
    const composition = await this.compose()
    const listed = await listControlPlanes(composition)
    if (listed.length === 0) {
      this.ui.note(`There are no control planes yet: ${this.config.bin} create NAME makes one.`)
    } else {
      this.log(planeTable(listed, { now: new Date(), width: process.stdout.columns }))
    }
    return listed.map(toPlaneResult)
  }
}
