const LONGEST_NAME = 200
const DIGEST_LENGTH = 32

/** A unique file name of at most 255 bytes, the limit of file systems: the end of a long one is a digest. */
export function shortFileName(parts: readonly string[]): string {
  const name = parts.map((part) => encodeURIComponent(part)).join('_')
  if (name.length <= LONGEST_NAME) {
    return name
  }
  // Loaded on use: it is rarely needed, and credential plugins must start fast.
  const digest = process.getBuiltinModule('node:crypto').hash('sha256', name)
  return `${name.slice(0, LONGEST_NAME - DIGEST_LENGTH)}${digest.slice(0, DIGEST_LENGTH)}`
}
