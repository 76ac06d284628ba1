import {
  type Document,
  isMap,
  isNode,
  isScalar,
  type Pair,
  parseDocument,
  type YAMLMap,
} from 'yaml'
import { VplaneError } from '../errors.ts'

/**
 * Sets one key of the top level; comments, order and all other keys stay.
 *
 * @throws {VplaneError} `INVALID_SPEC` when the text is not a YAML mapping; `source` names it.
 */
export function setYamlKey(
  text: string,
  [key, value]: readonly [string, string | number | boolean],
  source: string,
): string {
  const document = readMapping(text, source)
  document.set(key, value)
  return document.toString({ lineWidth: 0 })
}

/**
 * Removes one key of the top level; all else stays, byte for byte. Undefined when there is no such key.
 *
 * @throws {VplaneError} `INVALID_SPEC` when the text is not a YAML mapping; `source` names it.
 */
export function removeYamlKey(text: string, key: string, source: string): string | undefined {
  const { contents } = readMapping(text, source)
  const index = isMap(contents) ? contents.items.findIndex((pair) => nameOf(pair) === key) : -1
  if (!isMap(contents) || index === -1) {
    return undefined
  }
  const [start, end] =
    contents.flow === true ? inFlow(contents, index) : lines(contents, index, text)
  return text.slice(0, start) + text.slice(end)
}

function readMapping(text: string, source: string): Document.Parsed {
  const document = parseDocument(text)
  const [error] = document.errors
  if (isScalar(document.contents) && document.contents.value === null) {
    // Only a line of dashes.
    document.contents = null
  }
  if (error !== undefined || (document.contents !== null && !isMap(document.contents))) {
    const reason = error?.message ?? 'not a mapping'
    throw new VplaneError('INVALID_SPEC', `cannot read ${source}: ${reason}`, { cause: error })
  }
  return document
}

function nameOf({ key }: Pair): unknown {
  return isScalar(key) ? key.value : undefined
}

/** From the start of a key's line to the end of the line that its value ends on, with the comment there. */
function lines(map: YAMLMap, index: number, text: string): [number, number] {
  const [start, end] = rangeOf(map, index)
  const lineStart = text.lastIndexOf('\n', start) + 1
  const lineEnd = text.indexOf('\n', end)
  const isBlock = text[end - 1] === '\n'
  return [lineStart, isBlock ? end : lineEnd === -1 ? text.length : lineEnd + 1]
}

/** With the comma after it, or before it if it is the last one. */
function inFlow(map: YAMLMap, index: number): [number, number] {
  const [start, end] = rangeOf(map, index)
  if (index + 1 < map.items.length) {
    return [start, rangeOf(map, index + 1)[0]]
  }
  return [index === 0 ? start : rangeOf(map, index - 1)[1], end]
}

function rangeOf(map: YAMLMap, index: number): [number, number] {
  const pair = map.items[index]
  const [keyRange, valueRange] = [pair?.key, pair?.value].map((node) =>
    isNode(node) ? (node.range ?? undefined) : undefined,
  )
  const [start = 0, keyEnd = 0] = keyRange ?? []
  return [start, Math.max(keyEnd, valueRange?.[1] ?? 0)]
}
