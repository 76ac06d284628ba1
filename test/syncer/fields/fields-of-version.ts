import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The fields of each synced kind in a Kubernetes version, with their types: the file in `openapi/`. */
export function fieldsOfVersion(version: string): Record<string, Record<string, string>> {
  const file = join(import.meta.dirname, 'openapi', `${version}.json`)
  return JSON.parse(readFileSync(file, 'utf8'))
}
