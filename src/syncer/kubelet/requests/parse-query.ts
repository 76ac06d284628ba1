/**
 * Values by their name, in their order, one character for each byte: a command may hold bytes that are no text.
 */
export type Query = ReadonlyMap<string, readonly string[]>

/** The query of a URL, decoded once. */
export function parseQuery(text: string): Query {
  const query = new Map<string, string[]>()
  for (const pair of text.split('&').filter((pair) => pair !== '')) {
    const [name = '', ...value] = pair.split('=')
    const key = decode(name)
    query.set(key, [...(query.get(key) ?? []), decode(value.join('='))])
  }
  return query
}

/** A query that says these pairs, and nothing else whatever is in them; with its `?` unless it is empty. */
export function formatQuery(pairs: readonly (readonly [name: string, value: string])[]): string {
  const text = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
  return text === '' ? '' : `?${text}`
}

function decode(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    )
}

function encode(bytes: string): string {
  return bytes.replaceAll(
    /[^A-Za-z0-9._~-]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}
