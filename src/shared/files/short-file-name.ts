const LONGEST_NAME = 200
const DIGEST_LENGTH = 32

/**
 * A name that a file can have, the same for the same parts and another one for others: file systems take up to 255 bytes,
 * and contexts are named after everything that leads to their cluster. Where it is too long, its end is a digest.
 */
export function shortFileName(parts: readonly string[]): string {
  const name = parts.map((part) => encodeURIComponent(part)).join('_')
  if (name.length <= LONGEST_NAME) {
    return name
  }
  // Not imported: it is hardly ever needed, and credential plugins have no time.
  const digest = process.getBuiltinModule('node:crypto').hash('sha256', name)
  return `${name.slice(0, LONGEST_NAME - DIGEST_LENGTH)}${digest.slice(0, DIGEST_LENGTH)}`
}
