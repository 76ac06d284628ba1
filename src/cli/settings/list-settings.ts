import type { Environment } from '../../shared/environment.ts'
import { SETTING_KEYS, type SettingKey, variableOf } from './setting-keys.ts'
import { BUILT_IN_SETTINGS, readSettingLayers, type SettingSource } from './settings.ts'

export interface SettingEntry {
  key: SettingKey
  /** Null when nothing sets it. */
  value: string | boolean | null
  /** Null when nothing sets it. */
  source: SettingSource | null
  variable?: string
}

/** All settings as they apply. @throws {VplaneError} `INVALID_SPEC` when one of them is wrong. */
export async function listSettings(environment: Environment): Promise<SettingEntry[]> {
  const layers = await readSettingLayers(environment)
  const builtIn: Partial<Record<SettingKey, string | boolean>> = BUILT_IN_SETTINGS
  return SETTING_KEYS.map((key) => {
    const [fromVariable, fromFile] = [layers.environment[key], layers.file[key]]
    if (fromVariable !== undefined) {
      return { key, value: fromVariable, source: 'environment', variable: variableOf(key) }
    }
    if (fromFile !== undefined) {
      return { key, value: fromFile, source: 'file' }
    }
    const value = builtIn[key]
    return { key, value: value ?? null, source: value === undefined ? null : 'built-in' }
  })
}
