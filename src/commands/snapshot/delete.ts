import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/base/base-command.ts'
import { yesFlag } from '../../cli/flags/flags.ts'
import { VplaneError } from '../../shared/errors.ts'

export interface SnapshotDeleteResult {
  deleted: string[]
}

export default class SnapshotDelete extends BaseCommand {
  static override readonly summary = 'Deletes stored snapshots.'
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
    const ids = argv.map(String)
    const snapshots = await (await this.compose()).openSnapshots()
    const what = ids.length === 1 ? `the snapshot ${ids[0]}` : `${ids.length} snapshots`
    if (!flags.yes && !(await this.ui.confirm(`Delete ${what}?`, { option: 'yes' }))) {
      throw new VplaneError('ABORTED', `${what} ${ids.length === 1 ? 'was' : 'were'} not deleted`)
    }
    for (const id of ids) {
      await snapshots.delete(id, this.signal)
    }
    this.log(`Deleted ${what}.`)
    return { deleted: ids }
  }
}
