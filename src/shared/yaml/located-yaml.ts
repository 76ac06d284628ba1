import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  parseDocument,
  visit,
} from 'yaml'
import { messageOf, VplaneError } from '../errors.ts'

/** A YAML (or JSON) text with a name for errors. */
export interface YamlSource {
  path: string
  text: string
  /** Lines that stand above the text where its reader sees it. @default 0 */
  linesAbove?: number
}

export interface LocatedYaml {
  value: unknown
  /** Where a field or an item begins, as `plane.yaml:3:5`; undefined when the text does not have it. */
  placeOf: (path: ReadonlyArray<string | number>) => string | undefined
}

/**
 * The value of a YAML (or JSON) text, with the place of each field.
 *
 * @throws {VplaneError} `INVALID_SPEC` with a line `plane.yaml:3:5: …` for each problem when the text is not YAML.
 */
export function parseLocatedYaml(source: YamlSource): LocatedYaml {
  const lineCounter = new LineCounter()
  const document = parseDocument(source.text, { lineCounter, prettyErrors: false })
  return locate(document, { ...source, lineCounter })
}

/** One document of a YAML text. */
export interface DocumentInYaml {
  /** Its place among all documents, from 1. */
  number: number
  /** Whether it has no value, at most comments. */
  isEmpty: boolean
  /** Throws what `parseLocatedYaml` does. */
  read: () => LocatedYaml
}

/** The documents of a YAML text, in their order. */
export function locatedYamlDocuments(source: YamlSource): DocumentInYaml[] {
  const lineCounter = new LineCounter()
  const documents: Document[] = [
    ...parseAllDocuments(source.text, { lineCounter, prettyErrors: false }),
  ]
  return documents.map((document, index) => ({
    number: index + 1,
    isEmpty: document.errors.length === 0 && isNothing(document.contents),
    read: () => locate(document, { ...source, lineCounter }),
  }))
}

function locate(
  document: Document,
  { lineCounter, linesAbove = 0, path }: Omit<YamlSource, 'text'> & { lineCounter: LineCounter },
): LocatedYaml {
  const placeAt = (offset: number) => {
    const { col, line } = lineCounter.linePos(offset)
    return `${path}:${line + linesAbove}:${col}`
  }
  if (document.errors.length > 0) {
    const lines = document.errors.map(
      ({ code, message, pos }) => `${placeAt(pos[0])}: ${reasonOf(code, message)}`,
    )
    throw new VplaneError('INVALID_SPEC', [...new Set(lines)].join('\n'))
  }
  try {
    return {
      value: document.toJS(),
      placeOf: (fields) => {
        const offset = offsetOf(document, fields)
        return offset === undefined ? undefined : placeAt(offset)
      },
    }
  } catch (cause) {
    const offset = unresolvedAlias(document)
    const place = offset === undefined ? path : placeAt(offset)
    throw new VplaneError('INVALID_SPEC', `${place}: ${reasonOf('', messageOf(cause))}`, { cause })
  }
}

function isNothing(contents: unknown): boolean {
  return contents === null || (isScalar(contents) && contents.value === null)
}

function reasonOf(code: string, message: string): string {
  return code === 'MULTIPLE_DOCS'
    ? 'a second YAML document begins here, and only one is read'
    : `not valid YAML: ${message.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}`
}

/** Of a field, its name. */
function offsetOf(document: Document, path: ReadonlyArray<string | number>): number | undefined {
  let node: unknown = document.contents
  let offset: number | undefined
  for (const part of path) {
    const parent: unknown = isAlias(node) ? node.resolve(document) : node
    if (isMap(parent)) {
      const pair = parent.items.find(
        ({ key }) => isScalar(key) && String(key.value) === String(part),
      )
      offset = isNode(pair?.key) ? pair.key.range?.[0] : undefined
      node = pair?.value
    } else {
      node = isSeq(parent) ? parent.items[Number(part)] : undefined
      offset = isNode(node) ? node.range?.[0] : undefined
    }
    if (offset === undefined) {
      return undefined
    }
  }
  return offset
}

function unresolvedAlias(document: Document): number | undefined {
  let offset: number | undefined
  visit(document, {
    Alias: (_, node) => {
      if (node.resolve(document) === undefined) {
        offset = node.range?.[0]
        return visit.BREAK
      }
      return undefined
    },
  })
  return offset
}
