import type { KubeconfigEntry } from './kubeconfig-entry.ts'

/** @throws {VplaneError} `FAILED` when there are groups, a uid or extra fields without a user. */
export function impersonationHeaders(
  user: KubeconfigEntry | undefined,
): Record<string, string | string[]> {
  if (user === undefined) {
    return {}
  }
  const name = user.text('as')
  const uid = user.text('as-uid')
  const groups = user.texts('as-groups')
  const extra = user.entry('as-user-extra')
  if (name === undefined) {
    if (uid !== undefined || groups.length > 0 || (extra?.names().length ?? 0) > 0) {
      throw user.problem('"as-uid", "as-groups" and "as-user-extra" require "as"')
    }
    return {}
  }
  const extras = (extra?.names() ?? []).map(
    (key) => [`Impersonate-Extra-${escapeKey(key)}`, extra?.texts(key) ?? []] as const,
  )
  return {
    'Impersonate-User': name,
    ...(uid !== undefined && { 'Impersonate-Uid': uid }),
    ...(groups.length > 0 && { 'Impersonate-Group': groups }),
    ...Object.fromEntries(extras),
  }
}

/** Escapes characters that are not allowed in the name of a header, as in a URL. */
function escapeKey(key: string): string {
  return [...Buffer.from(key.toLowerCase())]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return /[a-z0-9!#$&'*+.^_`|~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
}
