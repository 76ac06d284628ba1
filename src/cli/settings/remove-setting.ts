import { readTextFile } from '../../shared/files/read-text-file.ts'
import { writeFile } from '../../shared/files/write-file.ts'
import { removeYamlKey } from '../../shared/yaml/edit-yaml.ts'
import { parseKey } from './parse-settings.ts'

/**
 * Removes one setting from the config file, and changes nothing else in it, even if other settings are wrong. A key that
 * vplane does not know is removed if the file has it.
 *
 * @returns whether the file had it.
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
