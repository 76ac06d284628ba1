/** Licenses that a package inside the bundle may have, as SPDX ids. All of them ask for no more than their notice. */
const ALLOWED_LICENSES = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
])

/** Licenses that do not ask to be copied along: the author gave all rights up. */
export const NEEDS_NO_TEXT = new Set(['0BSD', 'CC0-1.0', 'Unlicense'])

/**
 * The licenses that an SPDX expression of one level leaves us with: of alternatives the first allowed one, of a
 * conjunction all. Undefined when that is not possible.
 */
export function chosenLicenses(expression: string): string[] | undefined {
  const text = expression.trim().replace(/^\((.*)\)$/, '$1')
  const isAllowed = (id: string) => ALLOWED_LICENSES.has(id)
  if (text.includes(' AND ') && !text.includes(' OR ')) {
    const all = text.split(' AND ').map((id) => id.trim())
    return all.every(isAllowed) ? all : undefined
  }
  const first = text
    .split(' OR ')
    .map((id) => id.trim())
    .find(isAllowed)
  return first === undefined ? undefined : [first]
}
