import { resolve } from 'node:path'
import { VplaneError } from '../../shared/errors.ts'
import { parseYaml } from '../../shared/yaml/yaml.ts'
import { SETTING_KEYS, type SettingKey, variableOf } from './setting-keys.ts'
import { BOOLEAN_KEYS, type RawSettings, settingsSchema } from './settings-schema.ts'
import { closestTo } from '../../shared/text/closest.ts'
import { isRecord } from '../../shared/json-fields.ts'

/** The format of config.yaml that this vplane writes. Older ones are read, newer ones refused. */
export const CONFIG_FORMAT_VERSION = 1

/** `file` names it in errors. @throws {VplaneError} `INVALID_SPEC` naming file, key and value. */
export function parseSettingsFile(text: string, file: string): RawSettings {
  const value = parseYaml(text, file) ?? {}
  if (!isRecord(value)) {
    throw new VplaneError('INVALID_SPEC', `"${file}" does not contain settings`, {
      hints: ['one setting per line, such as "driver: local"'],
    })
  }
  const { formatVersion = CONFIG_FORMAT_VERSION, ...settings } = value
  if (!isKnownFormat(formatVersion)) {
    throw new VplaneError(
      'INVALID_SPEC',
      `"${file}" has format ${JSON.stringify(formatVersion)}, and this vplane reads up to ${CONFIG_FORMAT_VERSION}`,
      { hints: ['npm install --global vplane@latest'] },
    )
  }
  return check(settings, (key) => `"${key}" in "${file}"`)
}

/** `VPLANE_*` variables by key. @throws {VplaneError} `INVALID_SPEC` naming variable and value. */
export function parseVariables(texts: Partial<Record<SettingKey, string>>): RawSettings {
  const settings = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, valueOf(key, text)]),
  )
  return check(settings, (key) => `the variable ${variableOf(key)}`)
}

/** @throws {VplaneError} `USAGE` when there is no such key, `INVALID_SPEC` when the value is wrong. */
export function parseSetting(key: string, text: string): RawSettings {
  return check({ [parseKey(key)]: valueOf(key, text) }, () => `"${key}"`)
}

/** @throws {VplaneError} `USAGE` when there is no such key. */
export function parseKey(key: string): SettingKey {
  const known = SETTING_KEYS.find((one) => one === key)
  if (known === undefined) {
    throw new VplaneError('USAGE', `there is no setting "${key}"`, { hints: keyHints(key) })
  }
  return known
}

function keyHints(key: string): string[] {
  const closest = closestTo(key, SETTING_KEYS)
  return [
    ...(closest === undefined ? [] : [`did you mean ${closest}?`]),
    `settings: ${SETTING_KEYS.join(', ')}`,
  ]
}

function isKnownFormat(formatVersion: unknown): boolean {
  return (
    typeof formatVersion === 'number' &&
    Number.isInteger(formatVersion) &&
    formatVersion >= 1 &&
    formatVersion <= CONFIG_FORMAT_VERSION
  )
}

/** Texts have no types: what stands for true and false is read where that is wanted, a path is made absolute. */
function valueOf(key: string, text: string): unknown {
  if (BOOLEAN_KEYS.some((one) => one === key)) {
    const lower = text.toLowerCase()
    return ['1', 'true', 'yes', 'on'].includes(lower)
      ? true
      : ['0', 'false', 'no', 'off'].includes(lower)
        ? false
        : text
  }
  return key === 'binDir' ? resolve(text) : text
}

function check(settings: Record<string, unknown>, describe: (key: string) => string): RawSettings {
  const result = settingsSchema.safeParse(settings)
  if (result.success) {
    return result.data
  }
  const [issue] = result.error.issues
  if (issue?.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? ''
    throw new VplaneError('INVALID_SPEC', `unknown setting ${describe(key)}`, {
      hints: keyHints(key),
    })
  }
  const key = String(issue?.path[0])
  throw new VplaneError(
    'INVALID_SPEC',
    `${describe(key)} cannot be ${JSON.stringify(settings[key])}: ${issue?.message}`,
  )
}
