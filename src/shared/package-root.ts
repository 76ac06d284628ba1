import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { textAt } from './json-fields.ts'

/** The build inserts it into programs that run without their package.json. */
declare const VPLANE_VERSION: string | undefined

/** The folder with vplane's package.json, schemas and templates: above this module in src, bundle and package alike. */
export function packageRoot(from: string = dirname(fileURLToPath(import.meta.url))): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) {
      return folder
    }
    if (folder === dirname(folder)) {
      throw new Error(`no package.json above ${from}`)
    }
  }
}

/** Whether vplane runs from src in a checkout, and not from a build. */
export function isSource(): boolean {
  return import.meta.url.endsWith('.ts')
}

/** The version of this vplane, from its build or its package.json. */
export function packageVersion(): string {
  if (typeof VPLANE_VERSION !== 'undefined') {
    return VPLANE_VERSION
  }
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'))
  const version = textAt(manifest, 'version')
  if (version === undefined) {
    throw new Error('package.json has no version')
  }
  return version
}
