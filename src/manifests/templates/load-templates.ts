import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { packageRoot } from '../../shared/package-root.ts'
import type { Template } from './fill-template.ts'

/** A user's templates, as they were read: a plane keeps them, so that whoever works on it next has them too. */
export interface TemplateOverlay {
  /** Where they were read. */
  folder: string
  /** Texts by their paths in it. */
  files: Readonly<Record<string, string>>
}

/** All templates by path: vplane's own, of which the overlay replaces those of the same path; any other is one more. */
export function loadTemplates(overlay?: TemplateOverlay): Template[] {
  const templates = new Map(
    readTemplates(join(packageRoot(), 'templates'), 'templates').map((one) => [one.path, one]),
  )
  if (overlay !== undefined) {
    for (const [path, text] of Object.entries(overlay.files)) {
      templates.set(path, { path, text, source: join(overlay.folder, path) })
    }
  }
  return [...templates.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1))
}

/**
 * The templates in a user's folder.
 *
 * @throws {VplaneError} `USAGE` when it cannot be read.
 */
export function readOverlay(path: string): TemplateOverlay {
  const folder = resolve(path)
  try {
    const files = readTemplates(folder, folder).map((template) => [template.path, template.text])
    return { folder, files: Object.fromEntries(files) }
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
