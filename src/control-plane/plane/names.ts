import { VplaneError } from '../../shared/errors.ts'

/** Drivers add prefixes and suffixes to a plane's name, within the 63 characters of a label. */
const MAX_LENGTH = 40

/** @throws {VplaneError} `INVALID_NAME` when it is no RFC 1123 label of at most 40 characters. */
export function parseName(name: string): string {
  if (name.length > MAX_LENGTH) {
    throw invalid(name, `has ${name.length} characters, at most ${MAX_LENGTH} are allowed`)
  }
  if (!isName(name)) {
    throw invalid(
      name,
      'may only contain lower-case letters, digits and "-", and must start and end with a letter or digit',
    )
  }
  return name
}

/** The name of a host namespace for one plane alone. */
export function ownNamespaceOf(plane: string): string {
  return `vplane-${plane}`
}

/** Whether a text is a valid name of a plane. */
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
