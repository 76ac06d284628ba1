import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/base/base-command.ts'
import { formatBytes } from '../../cli/output/format-bytes.ts'

export interface BinariesPruneResult {
  removed: Array<{ path: string; sizeBytes: number }>
  freedBytes: number
  /** What another command is using, and is not removed. */
  inUse: string[]
}

export default class BinariesPrune extends BaseCommand {
  static override readonly summary = 'Removes binaries that no control plane uses.'
  static override readonly description =
    'Also removes interrupted downloads. Everything that is removed can be downloaded or built again.'
  static override readonly examples = [
    '<%= config.bin %> binaries prune',
    '<%= config.bin %> binaries prune --build-cache',
  ]
  static override readonly group = 'tools'
  static override readonly flags = {
    'build-cache': Flags.boolean({ summary: 'Also removes the cache of Go builds.' }),
  }

  async run(): Promise<BinariesPruneResult> {
    const { flags } = await this.parse(BinariesPrune)
    const { openBinaries } = await this.compose()
    const result = await (await openBinaries()).prune({ buildCache: flags['build-cache'] })
    result.removed.forEach(({ path }) => this.log(`Removed ${path}`))
    result.inUse.forEach((what) => this.ui.warn(`${what} is in use and was not removed`))
    this.log(`Freed ${formatBytes(result.freedBytes)}.`)
    return result
  }
}
