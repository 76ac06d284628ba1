import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/base/base-command.ts'
import { removeSetting } from '../../cli/settings/change-setting.ts'
import { variableOf } from '../../cli/settings/setting-keys.ts'
import { configFileOf } from '../../cli/settings/settings.ts'

export interface ConfigUnsetResult {
  key: string
  /** Whether the file had it. */
  removed: boolean
  file: string
}

export default class ConfigUnset extends BaseCommand {
  static override summary = 'Removes a setting from config.yaml.'
  static override description =
    'The built-in default applies again. Everything else in the file stays as it is. Succeeds if the setting is not in the file.'
  static override group = 'tools' as const
  static override args = {
    key: Args.string({ description: 'Name of the setting, such as driver.', required: true }),
  }
  static override examples = ['<%= config.bin %> config unset driver']

  async run(): Promise<ConfigUnsetResult> {
    const { args } = await this.parse(ConfigUnset)
    const { key } = args
    const file = configFileOf(this.environment)
    const removed = await removeSetting(file, key)
    this.log(removed ? `Removed ${key} from ${file}.` : `${key} is not set in ${file}.`)
    const variable = variableOf(key)
    if ((this.environment[variable] ?? '') !== '') {
      this.ui.warn(`${variable} is set and still applies`)
    }
    return { key, removed, file }
  }
}
