import { VplaneError } from '../../shared/errors.ts'

/** Room for the prefixes and suffixes that drivers add to a plane's name within 63 characters. */
const MAX_LENGTH = 40

/**
 * A plane's name, checked: an RFC 1123 label of at most 40 characters.
 *
 * @throws {VplaneError} `INVALID_NAME` when it is not.
 */
export function parseName(name: string): string {
  if (name.length > MAX_LENGTH) {
    throw invalid(name, `has ${name.length} characters, at most ${MAX_LENGTH} are allowed`)
  }
  if (!isName(name)) {
    throw invalid(
      name,
      'may hold lower-case letters, digits and "-", and starts and ends with a letter or digit',
    )
  }
  return name
}

/** The host namespace that a plane has to itself. */
export function ownNamespaceOf(plane: string): string {
  return `vplane-${plane}`
}

/** Tells whether a plane can have this name. */
export function isName(name: string): boolean {
  return name.length <= MAX_LENGTH && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name)
}

function invalid(name: string, why: string): VplaneError {
  const suggestion = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replaceAll(/^-+|-+$/g, '')
  return new VplaneError('INVALID_NAME', `the name "${name}" ${why}`, {
    hints: suggestion === '' || suggestion === name ? [] : [`try "${suggestion}"`],
  })
}
