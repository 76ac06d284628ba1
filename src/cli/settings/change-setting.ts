import { dirname } from 'node:path'
import { removeYamlKey, setYamlKey } from '../../shared/yaml/edit-yaml.ts'
import { makeFolder } from '../../shared/files/make-folder.ts'
import { writeFile } from '../../shared/files/write-file.ts'
import {
  CONFIG_FORMAT_VERSION,
  parseKey,
  parseSetting,
  parseSettingsFile,
} from './parse-settings.ts'
import type { SettingKey } from './setting-keys.ts'
import { readTextFile } from '../../shared/files/read-text-file.ts'

const NEW_FILE = `# Defaults of vplane for this user: "vplane config list" shows them all. Flags and VPLANE_* variables win.
formatVersion: ${CONFIG_FORMAT_VERSION}
`

/**
 * Writes one setting into the config file, which may not exist; nothing is written when the value or the file is wrong.
 *
 * @throws {VplaneError} `USAGE` when there is no such key, `INVALID_SPEC` when the value or the file is wrong.
 */
export async function saveSetting(
  file: string,
  key: string,
  text: string,
): Promise<{ key: SettingKey; value: string | boolean }> {
  const known = parseKey(key)
  const value = parseSetting(known, text)[known]
  if (value === undefined) {
    throw new Error(`the value of ${known} was lost`)
  }
  const before = readTextFile(file)
  const after = setYamlKey(before ?? NEW_FILE, [known, value], `"${file}"`)
  parseSettingsFile(after, file)
  makeFolder(dirname(file))
  await writeFile(file, after)
  return { key: known, value }
}

/**
 * Removes one setting, even an unknown one, if the file has it, and changes nothing else; returns whether it had it.
 *
 * @throws {VplaneError} `USAGE` when there is no such key, `INVALID_SPEC` when the file is not YAML.
 */
export async function removeSetting(file: string, key: string): Promise<boolean> {
  const before = readTextFile(file)
  const isSetting = key !== 'formatVersion'
  const after =
    before === undefined || !isSetting ? undefined : removeYamlKey(before, key, `"${file}"`)
  if (after === undefined) {
    parseKey(key)
    return false
  }
  await writeFile(file, after)
  return true
}
