import { LineCounter, parseAllDocuments, visit, type Document } from 'yaml'
import { messageOf, VplaneError } from '../errors.ts'

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
  const lines = new LineCounter()
  const documents: Document[] = [...parseAllDocuments(text, { lineCounter: lines })]
  return documents.flatMap((document) => {
    const [error] = document.errors
    if (error !== undefined) {
      throw new VplaneError('INVALID_SPEC', `cannot read ${source}: ${messageOf(error)}`, {
        cause: error,
      })
    }
    visit(document, {
      Scalar: (key, node) => {
        if (key !== 'key' && typeof node.value === 'string') {
          node.value = replacement(node.value, lines.linePos(node.range?.[0] ?? 0).line)
        }
      },
    })
    const value = withoutUndefined(document.toJS())
    return value === null || value === undefined ? [] : [value]
  })
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.filter((item) => item !== undefined).map(withoutUndefined)
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, field]) => field !== undefined)
        .map(([name, field]) => [name, withoutUndefined(field)]),
    )
  }
  return value
}
