import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/base/base-command.ts'
import { nameArgument, overwriteFlag } from '../../cli/flags/flags.ts'
import { formatBytes } from '../../cli/output/format-bytes.ts'
import { newPassphrase, passphraseFlag } from '../../cli/flags/passphrase.ts'
import { selectorFlags } from '../../cli/flags/selector-flags.ts'
import { type SnapshotResult, toSnapshotResult } from '../../cli/results/snapshot-result.ts'
import { createSnapshot } from '../../control-plane/use-cases/snapshot/create-snapshot.ts'

export interface SnapshotCreateResult extends SnapshotResult {
  /** Path or URL. */
  location: string
}

export default class SnapshotCreate extends BaseCommand {
  static override readonly summary = 'Takes a snapshot of the data of a control plane.'
  static override readonly description =
    'Takes the snapshot from the store of the plane while the plane runs, and verifies its checksum. Without --output, stores it on this machine.'
  static override readonly examples = [
    '<%= config.bin %> snapshot create dev',
    '<%= config.bin %> snapshot create dev --output dev.db',
    '<%= config.bin %> snapshot create dev --bundle --output dev.bundle',
    '<%= config.bin %> snapshot create dev --output s3://backups/planes',
  ]
  static override readonly group = 'day two'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...selectorFlags,
    bundle: Flags.boolean({
      summary: 'Adds keys and spec, encrypted: enough to restore the plane anywhere.',
    }),
    'passphrase-file': passphraseFlag(),
    logical: Flags.boolean({
      summary:
        'Takes a logical snapshot, which can be restored to a plane with another store. Planes without etcd always get one.',
    }),
    output: Flags.string({
      char: 'o',
      summary: 'File to write, or s3://BUCKET/PREFIX.',
      helpValue: 'PLACE',
    }),
    force: overwriteFlag(),
  }

  async run(): Promise<SnapshotCreateResult> {
    const { args, flags } = await this.parse(SnapshotCreate)
    const { composition, selected } = await this.select(args.name, flags)
    const taken = await createSnapshot(composition, {
      ...selected,
      output: flags.output,
      force: flags.force,
      format: flags.logical ? 'logical' : undefined,
      passphrase: flags.bundle ? () => newPassphrase(this.ui, flags, this.environment) : undefined,
    })
    const { id, kind, location, plane, revision, sizeBytes } = taken
    const how = `${formatBytes(sizeBytes)}, revision ${revision}`
    this.log(`The ${kind} of "${plane}" is ${id ?? location} (${how}).`)
    return { ...toSnapshotResult(taken), location }
  }
}
