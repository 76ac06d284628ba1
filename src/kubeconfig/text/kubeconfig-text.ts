import { type Document, LineCounter, parseDocument } from 'yaml'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { type Collection, isCollection } from './tokens.ts'
import { isRecord, recordAt, arrayAt, textAt, type Json } from '../../shared/json-fields.ts'

/** A parsed kubeconfig: its text with the position of everything, and its content. */
export interface KubeconfigText {
  text: string
  /** The mapping at the top; undefined when the text has no value. */
  root: Collection | undefined
  data: Json
  newline: string
}

/** The last one: a removal reads the same text twice, and the next removal reads the result of this one. */
let last: KubeconfigText | undefined

/**
 * Parses a kubeconfig as `parseKubeconfig` does, but not twice in a row: that takes long with a thousand contexts.
 * Callers must not change the result.
 */
export function parseOnce(text: string): KubeconfigText {
  last = last?.text === text ? last : parseKubeconfig(text)
  return last
}

/**
 * Parses a kubeconfig in YAML or JSON.
 * @throws {VplaneError} `INVALID_SPEC` with line and column when it is neither, when it has several documents, or when
 * the value at its top is not a mapping.
 */
export function parseKubeconfig(text: string): KubeconfigText {
  const lines = new LineCounter()
  try {
    const document = parseDocument(text, {
      keepSourceTokens: true,
      lineCounter: lines,
      merge: true,
      // Pretty errors quote the lines around them, which may contain tokens and keys.
      prettyErrors: false,
    })
    throwOnErrors(document, lines)
    const root = document.contents?.srcToken
    const data: unknown = document.toJS() ?? {}
    if (!isRecord(data) || (root !== undefined && !isCollection(root))) {
      const message = 'it is not a kubeconfig: the value at its top is not a mapping'
      throw new VplaneError('INVALID_SPEC', message)
    }
    return { text, root, data, newline: /\r?\n/.exec(text)?.[0] ?? '\n' }
  } catch (error) {
    if (error instanceof VplaneError) {
      throw error
    }
    throw new VplaneError('INVALID_SPEC', `invalid YAML: ${messageOf(error)}`, { cause: error })
  }
}

/** The entries of one of the lists at the top: `clusters`, `contexts`, `users`. */
export function entriesIn(data: Json, list: string): Json[] {
  return arrayAt(data, list).map((entry) => recordAt(entry) ?? {})
}

export function entryIn(data: Json, list: string, name: unknown): Json | undefined {
  return entriesIn(data, list).find((entry) => typeof name === 'string' && entry['name'] === name)
}

/** The current context; undefined when there is none. */
export function currentContextIn(data: Json): string | undefined {
  return textAt(data, 'current-context')
}

/** The names of all contexts. */
export function contextNamesIn(data: Json): string[] {
  return entriesIn(data, 'contexts').flatMap(({ name }) => (typeof name === 'string' ? [name] : []))
}

function throwOnErrors({ errors }: Document, lines: LineCounter): void {
  const error = errors[0]
  if (error === undefined) {
    return
  }
  if (error.code === 'MULTIPLE_DOCS') {
    const message = 'it has several YAML documents, and kubectl reads only one'
    throw new VplaneError('INVALID_SPEC', message, {
      hints: ['keep one document in the file, or use another one: export KUBECONFIG=FILE'],
    })
  }
  const { line, col } = lines.linePos(error.pos[0])
  // What follows a colon quotes the text.
  const reason = error.message.replace(/(?<=\S): .*$/s, '')
  throw new VplaneError('INVALID_SPEC', `invalid YAML at line ${line}, column ${col}: ${reason}`, {
    hints: ['correct the file, or use another one: export KUBECONFIG=FILE'],
  })
}
