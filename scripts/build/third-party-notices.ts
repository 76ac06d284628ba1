import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { chosenLicenses, NEEDS_NO_TEXT } from './licenses.ts'

interface BundledPackage {
  name: string
  version: string
  /** As its package.json says it. */
  license: string
  /** The one we use it under. */
  chosen: string[]
  /** Where its source is. */
  repository: string | undefined
  /** What its license and notice files say. */
  texts: string[]
}

const RULE = '='.repeat(80)
const LEGAL_FILE = /^(licen[cs]e|copying|notice)([-.].*)?$/i

/**
 * The text of THIRD_PARTY_NOTICES: every package of which code is in the bundle, with its license.
 *
 * @throws {Error} naming every package whose license is missing, unknown, or not one we may ship.
 */
export function thirdPartyNotices(root: string, metafile: Metafile): string {
  const folders = packageFolders(metafile)
  const read = folders.map((folder) => readPackage(join(root, folder)))
  const results = read.map((result) => withText(result, read))
  const problems = results.filter((result) => typeof result === 'string')
  if (problems.length > 0) {
    throw new Error(`THIRD_PARTY_NOTICES cannot be written:\n  ${problems.join('\n  ')}`)
  }
  const packages = results
    .filter((result) => typeof result !== 'string')
    .sort((a, b) => `${a.name}@${a.version}`.localeCompare(`${b.name}@${b.version}`))
  const head = `vplane contains code of these ${packages.length} packages, each under its own license.\n`
  return [head, ...packages.map((one) => formatPackage(one, packages))].join(`\n${RULE}\n`)
}

/** The folders of the packages that gave at least one byte to an output, as paths from the root. */
export function packageFolders(metafile: Metafile): string[] {
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => path),
  )
  const folders = used.flatMap((path) => {
    const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
    return folder === undefined ? [] : [folder]
  })
  return [...new Set(folders)].sort()
}

/** A package as it is to be named, or a sentence that says why it must not be shipped. */
function readPackage(folder: string): BundledPackage | string {
  const manifest: {
    name?: string
    version?: string
    license?: unknown
    repository?: string | { url?: string }
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const { name = folder, version = 'of unknown version', license, repository: source } = manifest
  const repository = typeof source === 'string' ? source : source?.url
  if (typeof license !== 'string' || license === '') {
    return `"${name}" ${version} says no license in its package.json`
  }
  const chosen = chosenLicenses(license)
  if (chosen === undefined) {
    return `"${name}" ${version} has the license "${license}", which is not in the list of scripts/build/licenses.ts`
  }
  const texts = readdirSync(folder)
    .filter((file) => LEGAL_FILE.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
    .filter((text) => text !== '')
  const found = texts.length > 0 ? texts : licenseInReadme(folder)
  return { name, version, license, chosen, repository, texts: found }
}

/** Some packages have the whole text of their license, with the copyright, as the last section of their README. */
function licenseInReadme(folder: string): string[] {
  const path = join(folder, 'README.md')
  const readme = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const [, text = ''] = /^#+ licen[cs]e\n(.*?)(?=^#|$(?![^]))/ims.exec(readme) ?? []
  return /^copyright .*permission is hereby granted/ims.test(text) ? [text.trim()] : []
}

/** A package that needs the text of its license and forgot it has that of another one of its repository. */
function withText(
  result: BundledPackage | string,
  all: ReadonlyArray<BundledPackage | string>,
): BundledPackage | string {
  if (
    typeof result === 'string' ||
    result.texts.length > 0 ||
    result.chosen.every((id) => NEEDS_NO_TEXT.has(id))
  ) {
    return result
  }
  const { license, name, repository, version } = result
  const sibling = all
    .filter((other) => typeof other !== 'string')
    .find(
      (other) =>
        repository !== undefined &&
        other.repository === repository &&
        other.license === license &&
        other.texts.length > 0,
    )
  return sibling === undefined
    ? `"${name}" ${version} has the license "${license}" and no file with its text`
    : { ...result, texts: sibling.texts }
}

/** A text that another package has too stands with the first of them. */
function formatPackage(bundled: BundledPackage, all: readonly BundledPackage[]): string {
  const { name, version, license, chosen, texts } = bundled
  const used = chosen.join(' and ')
  const choice = used === license ? '' : `\nUsed under: ${used}`
  const shown = texts.map((text) => {
    const owner = all.find((other) => other.texts.includes(text)) ?? bundled
    return owner === bundled ? text : `(the same text as for ${owner.name} ${owner.version})`
  })
  const text = shown.length === 0 ? '(the package carries no license file)' : shown.join('\n\n')
  return `${name} ${version}\nLicense: ${license}${choice}\n\n${text}\n`
}
