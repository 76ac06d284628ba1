import { outputFlag } from '../../cli/flags/output-flag.ts'
import { BaseCommand } from '../../cli/base/base-command.ts'
import { formatBytes } from '../../cli/output/format-bytes.ts'
import { formatTable } from '../../cli/output/table.ts'

export interface BinariesListResult {
  items: Array<{
    name: string
    version: string
    platform: string
    path: string
    sizeBytes: number
    source: 'download' | 'build' | 'unknown'
  }>
}

export default class BinariesList extends BaseCommand {
  static override readonly summary = 'Lists the binaries in the cache.'
  static override readonly examples = ['<%= config.bin %> binaries list']
  static override readonly group = 'tools'
  static override readonly flags = { output: outputFlag('json', 'yaml') }

  async run(): Promise<BinariesListResult> {
    await this.parse(BinariesList)
    const { openBinaries } = await this.compose()
    const cached = await (await openBinaries()).list()
    const binaries = cached.map(({ arch, os, ...binary }) => ({
      ...binary,
      platform: `${os}-${arch}`,
    }))
    if (binaries.length === 0) {
      this.ui.note(`The cache is empty: ${this.config.bin} binaries pull fills it.`)
    } else {
      const rows = binaries.map((binary) => ({ ...binary, size: formatBytes(binary.sizeBytes) }))
      const columns = ['name', 'version', 'platform', 'source', 'size', 'path'] as const
      const optional = ['path', 'source', 'platform'] as const
      this.log(formatTable(columns, rows, { width: process.stdout.columns, optional }))
    }
    return { items: binaries }
  }
}
