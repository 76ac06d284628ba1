import { readTextFile } from '../../shared/files/read-text-file.ts'
import { writeFile } from '../../shared/files/write-file.ts'
import { removeYamlKey } from '../../shared/yaml/edit-yaml.ts'
import { parseKey } from './parse-settings.ts'

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
