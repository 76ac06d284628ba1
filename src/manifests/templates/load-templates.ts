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

/** The build inserts vplane's own templates into the operator, whose pod has no folder of them. */
declare const VPLANE_TEMPLATES: Template[] | undefined

/** The build inserts the folder of programs in the operator's pod. */
declare const VPLANE_PROGRAMS: string | undefined

/** Templates that are not of a plane. */
const OPERATOR = 'operator/'

/** Templates of the keeper of a namespace. */
export const NAMESPACE_KEEPER = 'namespace-keeper/'

/** Templates of the gateway of a namespace. */
export const GATEWAY = 'gateway/'

/** Read once: a change renders a plane's objects several times. */
let ownTemplates: Template[] | undefined

/** All templates sorted by path: vplane's own, and those of the overlay, which replace those of the same path. */
export function loadTemplates(overlay?: TemplateOverlay): Template[] {
  ownTemplates ??= readOwnTemplates().filter(({ path }) => !path.startsWith(OPERATOR))
  const templates = new Map(ownTemplates.map((one) => [one.path, one]))
  if (overlay !== undefined) {
    for (const [path, text] of Object.entries(overlay.files)) {
      templates.set(path, { path, text, source: join(overlay.folder, path) })
    }
  }
  return [...templates.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1))
}

/** The templates of the operator itself. */
export function loadOperatorTemplates(): Template[] {
  return readOwnTemplates().filter(({ path }) => path.startsWith(OPERATOR))
}

/** vplane's own templates. */
export function readOwnTemplates(): Template[] {
  return typeof VPLANE_TEMPLATES === 'undefined'
    ? readTemplates(join(packageRoot(), 'templates'), 'templates')
    : VPLANE_TEMPLATES
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

export type HostedProgram = 'gateway' | 'keeper' | 'operator' | 'syncer'

/** The file of a program in `dist/`, and in the ConfigMap of its pods. */
export function programFile(program: HostedProgram): string {
  return `${program}.mjs.${program === 'operator' ? 'zst' : 'br'}`
}

/** A compressed program in base64. @throws {VplaneError} `FAILED` when it was not built. */
export function readProgram(program: HostedProgram): string {
  const folder = () =>
    typeof VPLANE_PROGRAMS === 'undefined' ? join(packageRoot(), 'dist') : VPLANE_PROGRAMS
  try {
    return readFileSync(join(folder(), programFile(program)), 'base64')
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
