import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/base/base-command.ts'
import { listSettings, type SettingEntry } from '../../cli/settings/settings.ts'
import { parseKey } from '../../cli/settings/parse-settings.ts'

export default class ConfigGet extends BaseCommand {
  static override summary = 'Prints the effective value of a setting.'
  static override description =
    'A VPLANE_* variable overrides config.yaml, which overrides the built-in default. A setting without a value prints nothing.'
  static override group = 'tools' as const
  static override args = {
    key: Args.string({ description: 'Name of the setting, such as driver.', required: true }),
  }
  static override examples = [
    '<%= config.bin %> config get driver',
    '<%= config.bin %> config get timeout --json',
  ]

  async run(): Promise<SettingEntry | undefined> {
    const { args } = await this.parse(ConfigGet)
    const key = parseKey(args.key)
    const entry = (await listSettings(this.environment)).find((one) => one.key === key)
    if (entry?.value !== null) {
      this.log(String(entry?.value))
    }
    return entry
  }
}
