/** Whose of some secrets a text shows: as they are, a line of a key alone, or as JSON or Secrets have them. */
export function foreignIn(text: string, secrets: Readonly<Record<string, string>>): string[] {
  return Object.keys(secrets).filter((whose) => {
    const secret = secrets[whose] ?? ''
    const [, line = secret] = secret.split('\n')
    return text.includes(line) || text.includes(btoa(secret))
  })
}
