import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { hasErrorCode, reasonOf, VplaneError } from '../../shared/errors.ts'
import { packageRoot } from '../../shared/package-root.ts'
import type { Template } from './fill-template.ts'

/** A user's templates. The plane's record stores them, so that later changes of the plane use them too. */
export interface TemplateOverlay {
  /** The folder that they were read from. */
  folder: string
  /** Their texts by their paths in the folder. */
  files: Readonly<Record<string, string>>
}

/** Read once: a change renders a plane's objects several times. */
let ownTemplates: Template[] | undefined

/** All templates sorted by path: vplane's own, and those of the overlay, which replace those of the same path. */
export function loadTemplates(overlay?: TemplateOverlay): Template[] {
  ownTemplates ??= readTemplates(join(packageRoot(), 'templates'), 'templates')
  const templates = new Map(ownTemplates.map((one) => [one.path, one]))
  if (overlay !== undefined) {
    for (const [path, text] of Object.entries(overlay.files)) {
      templates.set(path, { path, text, source: join(overlay.folder, path) })
    }
  }
  return [...templates.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1))
}

/** Reads the templates in a user's folder. @throws {VplaneError} `USAGE` when it cannot be read. */
export function readOverlay(path: string): TemplateOverlay {
  const folder = resolve(path)
  try {
    const files = readTemplates(folder, folder).map((template) => [template.path, template.text])
    return { folder, files: Object.fromEntries(files) }
  } catch (error) {
    const message = `cannot read the templates in "${folder}": ${reasonOf(error)}`
    throw new VplaneError('USAGE', message, { cause: error })
  }
}

export type HostedProgram = 'keeper' | 'syncer'

/** The gzip of a program in base64. @throws {VplaneError} `FAILED` when it was not built. */
export function readProgram(program: HostedProgram): string {
  try {
    return readFileSync(join(packageRoot(), 'dist', `${program}.mjs.gz`), 'base64')
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) {
      throw new VplaneError('FAILED', `the ${program} of this checkout was not built`, {
        hints: ['npm run build'],
        cause: error,
      })
    }
    throw error
  }
}

function readTemplates(folder: string, source: string): Template[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.ya?ml$/.test(path))
    .map((path) => ({
      path: path.replaceAll(sep, '/'),
      source: join(source, path),
      text: readFileSync(join(folder, path), 'utf8'),
    }))
}
