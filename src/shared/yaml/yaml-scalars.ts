import { LineCounter, parseAllDocuments, visit, type Document } from 'yaml'
import { messageOf, VplaneError } from '../errors.ts'

/** A string in a YAML text that is not a key. */
class LocatedText {
  readonly text: string
  readonly line: number

  constructor(text: string, line: number) {
    this.text = text
    this.line = line
  }
}

/** By their texts: a command fills the same templates several times, and parsing them takes most of that. */
const parsed = new Map<string, unknown[]>()

/**
 * The values of the documents that are not empty, with strings replaced, except keys; undefined removes a field or
 * item.
 *
 * @throws {VplaneError} `INVALID_SPEC` with line and column when the text is not YAML; `source` names it.
 */
export function replaceScalars(
  { source, text }: { source: string; text: string },
  replacement: (text: string, line: number) => unknown,
): unknown[] {
  const documents = parsed.get(text) ?? parse(text, source)
  parsed.set(text, documents)
  return documents.flatMap((document) => {
    const value = replaced(document, replacement)
    return value === null || value === undefined ? [] : [value]
  })
}

function parse(text: string, source: string): unknown[] {
  const lines = new LineCounter()
  const documents: Document[] = [...parseAllDocuments(text, { lineCounter: lines })]
  return documents.map((document): unknown => {
    const [error] = document.errors
    if (error !== undefined) {
      throw new VplaneError('INVALID_SPEC', `cannot read ${source}: ${messageOf(error)}`, {
        cause: error,
      })
    }
    visit(document, {
      Scalar: (key, node) => {
        if (key !== 'key' && typeof node.value === 'string') {
          node.value = new LocatedText(node.value, lines.linePos(node.range?.[0] ?? 0).line)
        }
      },
    })
    return document.toJS()
  })
}

function replaced(value: unknown, replacement: (text: string, line: number) => unknown): unknown {
  if (value instanceof LocatedText) {
    return replaced(replacement(value.text, value.line), replacement)
  }
  if (Array.isArray(value)) {
    return value
      .map((item: unknown) => replaced(item, replacement))
      .filter((item) => item !== undefined)
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, field]) => {
        const found = replaced(field, replacement)
        return found === undefined ? [] : [[name, found]]
      }),
    )
  }
  return value
}
