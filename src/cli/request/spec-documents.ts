import { VplaneError } from '../../shared/errors.ts'
import type { Hint } from '../../shared/hint.ts'
import { isRecord } from '../../shared/json-fields.ts'
import {
  type LocatedYaml,
  locatedYamlDocuments,
  parseLocatedYaml,
  type YamlSource,
} from '../../shared/yaml/located-yaml.ts'
import { parseName } from '../../control-plane/plane/names.ts'
import type { SpecFile } from '../../control-plane/spec/parse-spec.ts'
import type { UserSpec } from '../../control-plane/spec/spec.ts'

/** The spec in a YAML document, and the name of the plane if the document has one. */
export interface SpecDocument extends SpecFile {
  name?: string
}

/** A spec, and the name of its plane if that is known. */
export interface NamedSpec {
  name?: string | undefined
  userSpec: UserSpec
  /** What errors call its document, if the file has several. */
  label?: string
}

/**
 * The spec in a file for one plane.
 *
 * @throws {VplaneError} `INVALID_SPEC` when it has several documents, is not YAML, or its name is not a string.
 */
export function readSpecDocument(source: YamlSource): SpecDocument {
  return withName(source.path, parseLocatedYaml(source))
}

/**
 * The specs in a file for one or several planes, without empty documents, and each as `parse` returns it. Of several,
 * each has a name, which no other has.
 *
 * @throws {VplaneError} `INVALID_SPEC` with the problems of all documents, and what `parse` throws.
 */
export function readSpecs(
  source: YamlSource,
  parse: (document: SpecDocument) => UserSpec,
): NamedSpec[] {
  const { path } = source
  const found = locatedYamlDocuments(source).filter(({ isEmpty }) => !isEmpty)
  if (found.length <= 1) {
    const [only] = found
    const document = only === undefined ? readSpecDocument(source) : withName(path, only.read())
    return [{ name: document.name, userSpec: parse(document) }]
  }
  const labelled = found.map((one) => ({ ...one, label: `document ${one.number}` }))
  const documents = forEachDocument(labelled, ({ label, number, read }) => {
    const document = withName(path, read())
    const { name } = document
    return { document, number, label: name === undefined ? label : `${label} "${name}"` }
  })
  // The first document with a name has it.
  const numbers = new Map(
    documents.toReversed().map(({ document, number }) => [document.name, number]),
  )
  return forEachDocument(documents, ({ document, label, number }) => {
    const userSpec = parse(document)
    const { name, placeOf, value } = document
    const place = placeOf(name === undefined ? Object.keys(Object(value)).slice(0, 1) : ['name'])
    if (name === undefined) {
      throw new VplaneError('INVALID_SPEC', `${place ?? path}: "name" is missing`)
    }
    const first = numbers.get(parseName(name))
    if (first !== number) {
      throw new VplaneError('INVALID_SPEC', `${place}: document ${first} has the same name`)
    }
    return { name, label, userSpec }
  })
}

/**
 * What `work` returns for each document.
 *
 * @throws {VplaneError} `INVALID_SPEC` with what is wrong in any document that has a label, and everything else that `work`
 * throws as it is.
 */
export function forEachDocument<Item extends { label?: string }, Result>(
  documents: readonly Item[],
  work: (document: Item) => Result,
): Result[] {
  const lines: string[] = []
  const hints: Hint[] = []
  const results = documents.flatMap((document) => {
    try {
      return [work(document)]
    } catch (error) {
      const { label } = document
      if (label === undefined || !(error instanceof VplaneError) || !OF_DOCUMENTS.has(error.code)) {
        throw error
      }
      lines.push(...error.message.split('\n').map((line) => `${label}: ${line}`))
      hints.push(...error.hints)
      return []
    }
  })
  if (lines.length > 0) {
    throw new VplaneError('INVALID_SPEC', lines.join('\n'), { hints: hints.slice(0, 1) })
  }
  return results
}

/** All other errors are about flags, and the same for each document. */
const OF_DOCUMENTS: ReadonlySet<string> = new Set(['INVALID_NAME', 'INVALID_SPEC'])

function withName(path: string, { placeOf, value }: LocatedYaml): SpecDocument {
  if (!isRecord(value) || value['name'] === undefined) {
    return { path, placeOf, value }
  }
  const { name, ...fields } = value
  if (typeof name !== 'string') {
    throw new VplaneError('INVALID_SPEC', `${placeOf(['name'])}: name: must be a string`)
  }
  return { path, placeOf, value: fields, name }
}
