/** The first of several things, three unless told otherwise, and how many more there are: `a, b, c and 2 more`. */
export function someOf(things: readonly string[], named = 3): string {
  const more = things.length > named ? ` and ${things.length - named} more` : ''
  return `${things.slice(0, named).join(', ')}${more}`
}
