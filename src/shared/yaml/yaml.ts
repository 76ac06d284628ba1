import {
  Document,
  LineCounter,
  parse,
  parseAllDocuments,
  parseDocument,
  type Tags,
  visit,
} from 'yaml'
import { messageOf, VplaneError } from '../errors.ts'

/** Also JSON. @throws {VplaneError} `INVALID_SPEC` with line and column when it is not YAML; `source` names it. */
export function parseYaml(text: string, source: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    const reason = firstLine(messageOf(error))
    throw new VplaneError('INVALID_SPEC', `cannot read ${source}: ${reason}`, { cause: error })
  }
}

/** Below it is the text with a mark. */
function firstLine(message: string): string {
  const [line = ''] = message.split('\n')
  return line.replace(/:$/, '')
}

/**
 * The value of a YAML (or JSON) text with tokens and keys: an error names the place, and quotes nothing.
 *
 * @throws {VplaneError} `INVALID_SPEC` with line and column when the text is not YAML; `source` names it.
 */
export function parseSecretYaml(text: string, source: string): unknown {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, merge: true, prettyErrors: false })
  const [error] = document.errors
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0])
    // What follows a colon quotes the text.
    const reason = error.message.replace(/(?<=\S): .*$/s, '')
    const message = `cannot read ${source}, line ${line}, column ${col}: ${reason}`
    throw new VplaneError('INVALID_SPEC', message)
  }
  try {
    return document.toJS()
  } catch (cause) {
    throw new VplaneError('INVALID_SPEC', `cannot read ${source}: ${messageOf(cause)}`, { cause })
  }
}

/**
 * The values of all documents of a YAML (or JSON) text, parsed as Kubernetes does: YAML 1.1 (`yes` is true, `0644` is
 * octal) without dates and times. An empty document is null.
 *
 * @throws {VplaneError} `INVALID_SPEC` with document, line and column when the text is not YAML; `source` names it.
 */
export function parseYamlDocuments(text: string, source: string): unknown[] {
  const documents = parseAllDocuments(text, { version: '1.1', customTags: withoutTimes })
  return documents.map((document, index) => {
    try {
      const [error] = document.errors
      if (error !== undefined) {
        throw error
      }
      return document.toJS() as unknown
    } catch (error) {
      const message = `cannot read ${source}, document ${index + 1}: ${firstLine(messageOf(error))}`
      throw new VplaneError('INVALID_SPEC', message, { cause: error })
    }
  })
}

function withoutTimes(tags: Tags): Tags {
  return tags.filter(
    (tag) =>
      typeof tag === 'string' || (tag.format !== 'TIME' && !/timestamp|binary/.test(tag.tag)),
  )
}

/** YAML for people. Strings of one line are quoted, so that YAML 1.1 readers (all of Go's) read the same value. */
export function formatYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && node.value.includes('\n')) {
        node.type = 'BLOCK_LITERAL'
      }
    },
  })
  return document.toString({
    lineWidth: 0,
    indentSeq: false,
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
  })
}
