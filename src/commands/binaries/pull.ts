import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/base/base-command.ts'
import type { PulledBinary } from '../../compose/compose.ts'

export interface BinariesPullResult {
  binaries: PulledBinary[]
}

export default class BinariesPull extends BaseCommand {
  static override readonly summary = 'Downloads or builds binaries into the cache.'
  static override readonly description =
    'Downloads the binaries of Kubernetes versions and verifies their checksums, or builds them with the installed Go if there is no download. Without VERSION, pulls the default version.'
  static override readonly examples = [
    '<%= config.bin %> binaries pull',
    '<%= config.bin %> binaries pull 1.35 1.34',
    '<%= config.bin %> binaries pull --kine',
  ]
  static override readonly flags = {
    kine: Flags.boolean({ summary: 'Also builds kine, for planes with a store other than etcd.' }),
  }
  static override readonly group = 'tools'
  static override readonly strict = false
  static override readonly args = {
    version: Args.string({ description: 'Kubernetes versions.', multiple: true }),
  }

  async run(): Promise<BinariesPullResult> {
    const { argv, flags } = await this.parse(BinariesPull)
    const versions = argv.length > 0 ? argv.map(String) : [(await this.settings()).version]
    const { openBinaries } = await this.compose()
    const binaries = await (await openBinaries()).pull({ versions, ...flags }, this.signal)
    for (const { name, path, version } of binaries) {
      this.log(`${name} ${version}: ${path}`)
    }
    return { binaries }
  }
}
