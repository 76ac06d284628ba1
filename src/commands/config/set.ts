import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/base/base-command.ts'
import { saveSetting } from '../../cli/settings/change-setting.ts'
import { variableOf } from '../../cli/settings/setting-keys.ts'
import { configFileOf } from '../../cli/settings/settings.ts'

export interface ConfigSetResult {
  key: string
  value: string | boolean
  file: string
}

export default class ConfigSet extends BaseCommand {
  static override summary = 'Sets a default in config.yaml.'
  static override description =
    "Checks the value before it writes the file, and keeps the file's comments."
  static override group = 'tools' as const
  static override args = {
    key: Args.string({ description: 'Name of the setting, such as driver.', required: true }),
    value: Args.string({ description: 'The new value.', required: true }),
  }
  static override examples = [
    '<%= config.bin %> config set driver local',
    '<%= config.bin %> config set version 1.35',
    '<%= config.bin %> config set timeout 90s',
  ]

  async run(): Promise<ConfigSetResult> {
    const { args } = await this.parse(ConfigSet)
    const file = configFileOf(this.environment)
    const { key, value } = await saveSetting(file, args.key, args.value)
    this.log(`${key} is ${value} in ${file}.`)
    const variable = variableOf(key)
    if ((this.environment[variable] ?? '') !== '') {
      this.ui.warn(`${variable} is set and wins over the file`)
    }
    return { key, value, file }
  }
}
