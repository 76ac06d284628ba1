import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { outputFlag } from '../cli/flags/output-flag.ts'
import { labelSelectorFlag } from '../cli/flags/several-flags.ts'
import { selectorFlags, selectorOf } from '../cli/flags/selector-flags.ts'
import { changedRows } from '../cli/output/changed-rows.ts'
import { planesText } from '../cli/output/planes-text.ts'
import { watchPlanes } from '../cli/output/watch-planes.ts'
import { type Listed, type PlaneResult, toPlaneResult } from '../cli/results/plane-result.ts'
import { VplaneError } from '../shared/errors.ts'
import { listControlPlanes } from '../control-plane/use-cases/find/list-control-planes.ts'

export interface ListResult {
  items: PlaneResult[]
}

export default class List extends BaseCommand {
  static override readonly aliases = ['ls', 'get']
  static override readonly summary = 'Lists your control planes and their status.'
  static override readonly description =
    'STATUS is checked now: Ready means that the API answers. CONNECTED shows whether a context in your kubeconfig points at the plane, TUNNEL where its tunnel listens on this machine, and CERTS the time until its first certificate expires. VPLANE marks planes that an older vplane created; upgrade updates them. Lists planes in all host namespaces that you may read. Planes in different namespaces may have the same name: to pass names from -o name to another command, give both commands the same -n.'
  static override readonly examples = [
    '<%= config.bin %> list',
    '<%= config.bin %> list --namespace team-a -o wide',
    "<%= config.bin %> list -l 'team=shop,tier in (a,b),!legacy'",
    '<%= config.bin %> list --watch',
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
    selector: labelSelectorFlag(),
    output: outputFlag('json', 'yaml', 'wide', 'name'),
    watch: Flags.boolean({
      char: 'w',
      summary: 'Prints planes again when they change, until Ctrl-C.',
      exclusive: ['json'],
    }),
  }

  async run(): Promise<ListResult> {
    const { flags } = await this.parse(List)
    if (flags.watch && this.jsonEnabled()) {
      throw new VplaneError('USAGE', '--watch cannot be combined with --json, -o json or -o yaml', {
        hints: ['-o wide', '-o name'],
      })
    }
    const composition = await this.compose(flags)
    const { namespace, output, selector } = flags
    const labels = selector?.requirements
    const list = () => listControlPlanes(composition, { ...selectorOf(flags), labels })
    const listed = await list()
    const { bin } = this.config
    const isWide = output === 'wide'
    const width = isWide ? undefined : process.stdout.columns
    const names = (planes: readonly Listed[]) => planes.map(({ plane }) => plane.name).join('\n')
    const text =
      output === 'name'
        ? names(listed) || undefined
        : planesText(listed, {
            bin,
            ui: this.ui,
            isWide,
            isSelective: labels !== undefined,
            namespace,
            width,
          })
    if (text !== undefined) {
      this.log(text)
    }
    if (flags.watch) {
      const rowsOf = changedRows(listed, text)
      for await (const changed of watchPlanes(listed, list, { signal: this.signal })) {
        const options = { isWide, now: new Date(), width }
        this.log(output === 'name' ? names(changed) : rowsOf(changed, options))
      }
    }
    return { items: listed.map(toPlaneResult) }
  }
}
