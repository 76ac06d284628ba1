const NAMED = 3

/** The first of several things, and how many more there are: `a, b, c and 2 more`. */
export function someOf(things: readonly string[]): string {
  const more = things.length > NAMED ? ` and ${things.length - NAMED} more` : ''
  return `${things.slice(0, NAMED).join(', ')}${more}`
}
