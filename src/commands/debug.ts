import { resolve } from 'node:path'
import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { nameArgument, overwriteFlag } from '../cli/flags/flags.ts'
import { formatBytes } from '../cli/output/format-bytes.ts'
import { selectorFlags } from '../cli/flags/selector-flags.ts'
import { collectDebug } from '../control-plane/use-cases/observe/collect-debug.ts'
import { refuseExisting } from '../shared/files/refuse-existing.ts'
import { tarGz } from '../shared/files/tar.ts'
import { writeFile } from '../shared/files/write-file.ts'

export interface DebugResult {
  name: string
  file: string
  sizeBytes: number
  /** What is in it. */
  files: string[]
  /** What could not be had, and why. */
  missing: string[]
}

export default class Debug extends BaseCommand {
  static override readonly summary = 'Collects information for debugging in one archive.'
  static override readonly description =
    'Writes an archive with the status, spec, events and logs of a control plane, its objects in the host cluster, the findings of repair, the health of etcd and the API, metrics, and certificate expiry. If something is not available, its file has the reason. Keys, certificates, tokens and the contents of Secrets are left out. Logs and specs can contain names that you chose: review the archive before you share it.'
  static override readonly examples = [
    '<%= config.bin %> debug dev',
    '<%= config.bin %> debug dev --output bundle.tar.gz',
  ]
  static override readonly group = 'day two'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...selectorFlags,
    output: Flags.string({
      char: 'o',
      summary: 'File to write; by default vplane-NAME-debug.tar.gz.',
      helpValue: 'FILE',
    }),
    force: overwriteFlag(),
    tail: Flags.integer({
      summary: 'Lines from the end of each log.',
      min: 0,
      default: 10_000,
      helpValue: 'LINES',
    }),
  }

  async run(): Promise<DebugResult> {
    const { args, flags } = await this.parse(Debug)
    const { composition, selected } = await this.select(args.name, flags)
    const folder = `vplane-${selected.name}-debug`
    const file = resolve(flags.output ?? `${folder}.tar.gz`)
    refuseExisting(file, flags)
    const { files, missing, plane } = await collectDebug(composition, {
      ...selected,
      tail: flags.tail,
    })
    const archive = await tarGz(folder, files, new Date())
    await writeFile(file, archive)
    missing.forEach((what) => this.ui.warn(`not collected: ${what}`))
    this.log(`Wrote ${files.length} files to ${file} (${formatBytes(archive.length)}).`)
    return {
      name: plane.name,
      file,
      sizeBytes: archive.length,
      files: files.map(({ path }) => path),
      missing,
    }
  }
}
