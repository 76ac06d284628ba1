/** Escapes that Go has letters for. */
const LETTERS: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** Labels or annotations as a kubelet writes them into a file: `key="value"` by line, sorted, values as Go quotes them. */
export function formatMap(map: Readonly<Record<string, string>>): string {
  return Object.entries(map)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => `${key}=${goQuoted(value)}`)
    .join('\n')
}

function goQuoted(text: string): string {
  return `"${text.replaceAll(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escaped)}"`
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const hex = (digits: number) => code.toString(16).padStart(digits, '0')
  if (code < 0x20 || code === 0x7f || code === 0x22 || code === 0x5c) {
    return LETTERS[character] ?? `\\x${hex(2)}`
  }
  return code < 0x1_00_00 ? `\\u${hex(4)}` : `\\U${hex(8)}`
}
