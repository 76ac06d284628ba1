import { stripVTControlCharacters } from 'node:util'

/** A text without anything that could move the cursor, hide text or ring the bell; lines and tabs stay. */
export function harmlessText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return stripVTControlCharacters(text).replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
}
