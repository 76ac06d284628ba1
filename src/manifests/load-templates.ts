import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { messageOf, VplaneError } from '../shared/errors.ts'
import { packageRoot } from '../shared/package-root.ts'
import type { Template } from './fill-template.ts'

/**
 * All templates by path: vplane's own, and those of a user's folder, where a file of the same path takes the place of
 * ours and any other is one more.
 *
 * @throws {VplaneError} `USAGE` when the user's folder cannot be read.
 */
export function loadTemplates(overlay?: string): Template[] {
  const templates = new Map(
    readTemplates(join(packageRoot(), 'templates'), 'templates').map((one) => [one.path, one]),
  )
  if (overlay !== undefined) {
    for (const template of readOverlay(overlay)) {
      templates.set(template.path, template)
    }
  }
  return [...templates.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1))
}

function readOverlay(folder: string): Template[] {
  try {
    return readTemplates(folder, folder)
  } catch (error) {
    throw new VplaneError(
      'USAGE',
      `cannot read the templates in "${folder}": ${messageOf(error)}`,
      {
        cause: error,
      },
    )
  }
}

function readTemplates(folder: string, shown: string): Template[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.ya?ml$/.test(path))
    .map((path) => ({
      path: path.replaceAll(sep, '/'),
      source: join(shown, path),
      text: readFileSync(join(folder, path), 'utf8'),
    }))
}
