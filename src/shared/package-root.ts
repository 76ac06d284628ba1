import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { textAt } from './json-fields.ts'

/** Put in by the build of what runs far from its package.json. */
declare const VPLANE_VERSION: string | undefined

/**
 * The folder that holds vplane's package.json, schemas and templates, found upwards from this module: it is the same
 * in src, in the bundle and in an installed package.
 */
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

/** Whether this runs from src, in a checkout, and not from what was built. */
export function isSource(): boolean {
  return import.meta.url.endsWith('.ts')
}

/** vplane's own version: what the build has put in, or that of its package.json. */
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
