/** Values by name, in order, with one character for each byte: a command may contain bytes that are not text. */
export type Query = ReadonlyMap<string, readonly string[]>

/** Decodes the query of a URL. */
export function parseQuery(text: string): Query {
  const query = new Map<string, string[]>()
  for (const pair of text.split('&').filter((pair) => pair !== '')) {
    const [name = '', ...value] = pair.split('=')
    const key = decode(name)
    const values = query.get(key) ?? []
    values.push(decode(value.join('=')))
    query.set(key, values)
  }
  return query
}

/** Encodes pairs as a query, whatever bytes they contain; with its `?` unless it is empty. */
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
