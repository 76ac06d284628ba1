import { isMap, parseDocument } from 'yaml'
import { VplaneError } from '../errors.ts'

/**
 * A YAML mapping with one key of its top level set to a value; comments, order and all other keys stay.
 *
 * @throws {VplaneError} `INVALID_SPEC` when the text is not a YAML mapping; `source` names it.
 */
export function setYamlKey(
  text: string,
  [key, value]: readonly [string, string | number | boolean],
  source: string,
): string {
  const document = parseDocument(text)
  const [error] = document.errors
  if (error !== undefined || (document.contents !== null && !isMap(document.contents))) {
    throw new VplaneError(
      'INVALID_SPEC',
      `cannot read ${source}: ${error?.message ?? 'not a mapping'}`,
      {
        cause: error,
      },
    )
  }
  document.set(key, value)
  return document.toString({ lineWidth: 0 })
}
