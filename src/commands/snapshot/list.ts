import { counted } from '../../shared/text/counted.ts'
import { Flags } from '@oclif/core'
import { outputFlag } from '../../cli/flags/output-flag.ts'
import { BaseCommand } from '../../cli/base/base-command.ts'
import { formatAge } from '../../shared/text/duration.ts'
import { formatBytes } from '../../cli/output/format-bytes.ts'
import {
  snapshotName,
  type SnapshotResult,
  toSnapshotResult,
} from '../../cli/results/snapshot-result.ts'
import { formatTable } from '../../cli/output/table.ts'

export interface SnapshotListResult {
  items: SnapshotResult[]
}

const COLUMNS = ['id', 'kind', 'plane', 'namespace', 'revision', 'size', 'age'] as const

export default class SnapshotList extends BaseCommand {
  static override readonly summary = 'Lists stored snapshots, the oldest first.'
  static override readonly examples = [
    '<%= config.bin %> snapshot list',
    '<%= config.bin %> snapshot list --store s3://backups/planes',
  ]
  static override readonly group = 'day two'
  static override readonly flags = {
    output: outputFlag('json', 'yaml', 'name'),
    store: Flags.string({
      summary: 'Where the snapshots are; by default on this machine.',
      helpValue: 's3://BUCKET/PREFIX',
    }),
  }

  async run(): Promise<SnapshotListResult> {
    const { flags } = await this.parse(SnapshotList)
    const composition = await this.compose()
    const snapshots = await composition.openSnapshots()
    const store = flags.store === undefined ? snapshots.local : snapshots.storeOf(flags.store)
    const found = await store.list(this.signal)
    if (flags.output === 'name') {
      found.forEach(({ id }) => this.log(snapshotName(id, flags.store)))
    } else if (found.length === 0) {
      this.ui.note(`No snapshots found: ${this.config.bin} snapshot create NAME takes one.`)
    } else {
      const now = composition.now()
      const rows = found.map(
        ({ createdAt, id, kind, namespace = '', plane, revision, sizeBytes, volumes = [] }) => ({
          id,
          kind,
          plane,
          namespace,
          revision: String(revision),
          size: formatBytes(sizeBytes),
          age: formatAge(createdAt, now),
          lacks: lacksOf(volumes.length),
        }),
      )
      const lacks = rows.some((row) => row.lacks !== '') ? (['lacks'] as const) : []
      const columns = [...COLUMNS, ...lacks] as const
      const optional = ['revision', 'kind', 'namespace', 'size'] as const
      this.log(formatTable(columns, rows, { width: process.stdout.columns, optional }))
    }
    return { items: found.map(toSnapshotResult) }
  }
}

/** What lies on volumes of pods is in no snapshot. */
function lacksOf(volumes: number): string {
  return volumes === 0 ? '' : counted(volumes, 'volume')
}
