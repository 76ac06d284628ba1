/** A path with more in its query; the path itself stays as it is. */
export function withQuery(path: string, query: Record<string, string | undefined>): string {
  const added = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) {
      added.set(name, value)
    }
  }
  if (added.size === 0) {
    return path
  }
  return `${path}${path.includes('?') ? '&' : '?'}${added.toString()}`
}
