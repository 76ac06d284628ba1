import { Flags } from '@oclif/core'
import { listControlPlanes } from '../control-plane/use-cases/find/list-control-planes.ts'
import { BaseCommand } from '../cli/base/base-command.ts'
import { type PlaneResult, toPlaneResult } from '../cli/results/plane-result.ts'
import { planesText } from '../cli/output/planes-text.ts'
import { selectorFlags, selectorOf } from '../cli/flags/selector-flags.ts'

export default class List extends BaseCommand {
  static override readonly aliases = ['ls', 'get']
  static override readonly summary = 'Lists your control planes and their status.'
  static override readonly description =
    'STATUS is checked now: Ready means that the API answers. CONNECTED shows whether a context in your kubeconfig points at the plane, TUNNEL where its tunnel listens on this machine, and CERTS the time until its first certificate expires. VPLANE marks planes that an older vplane created; upgrade updates them. Lists planes in all host namespaces that you may read.'
  static override readonly examples = [
    '<%= config.bin %> list',
    '<%= config.bin %> list --namespace team-a',
    '<%= config.bin %> list --json',
  ]
  static override readonly group = 'start'
  static override readonly flags = {
    ...selectorFlags,
    driver: Flags.option({
      options: ['kubernetes', 'local'] as const,
      summary: 'Only planes of this driver.',
    })(),
    namespace: Flags.string({
      char: 'n',
      summary: 'Only planes in this host namespace.',
      helpValue: 'NAMESPACE',
    }),
    'all-namespaces': Flags.boolean({
      char: 'A',
      summary: 'Planes in all host namespaces; this is the default.',
      exclusive: ['namespace'],
    }),
  }

  async run(): Promise<PlaneResult[]> {
    const { flags } = await this.parse(List)
    const composition = await this.compose(flags)
    const listed = await listControlPlanes(composition, selectorOf(flags))
    const { bin } = this.config
    const text = planesText(listed, {
      bin,
      ui: this.ui,
      namespace: flags.namespace,
      width: process.stdout.columns,
    })
    if (text !== undefined) {
      this.log(text)
    }
    return listed.map(toPlaneResult)
  }
}
