const LONGEST_NAME = 200
const DIGEST_LENGTH = 32

/**
 * A unique file name for these parts. File systems accept up to 255 bytes, and names of contexts can be very long: the
 * end of a long name is a digest.
 */
export function shortFileName(parts: readonly string[]): string {
  const name = parts.map((part) => encodeURIComponent(part)).join('_')
  if (name.length <= LONGEST_NAME) {
    return name
  }
  // Loaded on use: it is rarely needed, and credential plugins must start fast.
  const digest = process.getBuiltinModule('node:crypto').hash('sha256', name)
  return `${name.slice(0, LONGEST_NAME - DIGEST_LENGTH)}${digest.slice(0, DIGEST_LENGTH)}`
}
