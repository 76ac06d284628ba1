import { outputFlag } from '../../cli/flags/output-flag.ts'
import { BaseCommand } from '../../cli/base/base-command.ts'
import { configFileOf, listSettings, type SettingEntry } from '../../cli/settings/settings.ts'
import { formatTable } from '../../cli/output/table.ts'

export interface ConfigListResult {
  file: string
  items: SettingEntry[]
}

export default class ConfigList extends BaseCommand {
  static override summary = 'Lists all settings with their values and sources.'
  static override group = 'tools' as const
  static override flags = { output: outputFlag('json', 'yaml') }
  static override examples = [
    '<%= config.bin %> config list',
    '<%= config.bin %> config list --json',
  ]

  async run(): Promise<ConfigListResult> {
    await this.parse(ConfigList)
    const file = configFileOf(this.environment)
    const settings = await listSettings(this.environment)
    const rows = settings.map((entry) => ({
      key: entry.key,
      value: entry.value === null ? '' : String(entry.value),
      source: entry.source === 'file' ? file : (entry.variable ?? entry.source ?? ''),
    }))
    this.log(formatTable(['key', 'value', 'source'], rows, { width: process.stdout.columns }))
    return { file, items: settings }
  }
}
