import { execFileSync } from 'node:child_process'

const MAX_BYTES = 200 * 1024 * 1024

/** The paths of all files of an archive that `vplane debug` wrote, below its folder. */
export function filesOfArchive(file: string): string[] {
  const names = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' })
  return names.split('\n').flatMap((name) => name.split('/').slice(1).join('/') || [])
}

/** What one file of an archive says, or all of them one after the other. */
export function textOfArchive(file: string, path?: string): string {
  const wanted = path === undefined ? [] : ['--wildcards', `*/${path}`]
  return execFileSync('tar', ['-xzOf', file, ...wanted], { encoding: 'utf8', maxBuffer: MAX_BYTES })
}

/** Which secrets someone can read in a text: all of them, what is secret about them alone, or in base64. */
export function readableIn(text: string, secrets: readonly string[]): string[] {
  return secrets.filter((secret) => {
    // A line of a key, or what a configuration has as one.
    const words = secret.match(/[\w+/=.-]{16,}/g) ?? [secret.trim()]
    const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '')
    return [longest, btoa(secret)].some((form) => text.includes(form))
  })
}
