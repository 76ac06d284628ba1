import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/base/base-command.ts'
import { yesFlag } from '../../cli/flags/flags.ts'
import { deleteSnapshots } from '../../control-plane/use-cases/snapshot/delete-snapshots.ts'

export interface SnapshotDeleteResult {
  deleted: string[]
}

export default class SnapshotDelete extends BaseCommand {
  static override readonly summary = 'Deletes stored snapshots.'
  static override readonly description = 'If one of several does not exist, deletes none of them.'
  static override readonly examples = [
    '<%= config.bin %> snapshot delete dev-20260102-030405-1a2b',
    '<%= config.bin %> snapshot delete s3://backups/planes/dev-20260102-030405-1a2b',
  ]
  static override readonly group = 'day two'
  static override readonly strict = false
  static override readonly args = {
    id: Args.string({ description: 'Ids of the snapshots.', multiple: true, required: true }),
  }
  static override readonly flags = { yes: yesFlag() }

  async run(): Promise<SnapshotDeleteResult> {
    const { argv, flags } = await this.parse(SnapshotDelete)
    const { deleted, what } = await deleteSnapshots(await this.compose(), {
      ids: argv.map(String),
      isConfirmed: flags.yes,
      signal: this.signal,
    })
    this.log(`Deleted ${what}.`)
    return { deleted }
  }
}
