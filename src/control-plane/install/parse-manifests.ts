import { VplaneError } from '../../shared/errors.ts'
import { isRecord, type Json } from '../../shared/json-fields.ts'
import { isWholeObject, type KubeObject } from '../../shared/kube/kube-object.ts'
import { parseYamlDocuments } from '../../shared/yaml/yaml.ts'

export interface ParsedManifests {
  /** Contains the items of lists instead of the lists. */
  objects: KubeObject[]
  /** One error for each document that is not a Kubernetes object, such as a kustomization or the values of a chart. */
  others: VplaneError[]
}

/**
 * Parses YAML or JSON; errors name the `file`.
 * @throws {VplaneError} `INVALID_SPEC` with file and document when it is neither, or a list contains anything but
 * Kubernetes objects.
 */
export function parseManifests(text: string, file: string): ParsedManifests {
  const parsed: ParsedManifests = { objects: [], others: [] }
  const values = parseYamlDocuments(text, `"${file}"`)
  for (const [index, value] of values.entries()) {
    const source = values.length === 1 ? `"${file}"` : `"${file}", document ${index + 1}`
    const reason = reasonAgainst(value)
    if (reason === undefined) {
      parsed.objects.push(...objectsIn(value, source))
    } else if (value !== null && value !== undefined) {
      parsed.others.push(notAnObject(source, reason))
    }
  }
  return parsed
}

function objectsIn(value: unknown, source: string): KubeObject[] {
  if (isList(value)) {
    return value.items.flatMap((item, index) => objectsIn(item, `${source}, item ${index + 1}`))
  }
  if (isWholeObject(value)) {
    return [value]
  }
  throw notAnObject(source, reasonAgainst(value) ?? 'it cannot be read')
}

function reasonAgainst(value: unknown): string | undefined {
  if (!isRecord(value)) {
    return 'it is not a map'
  }
  const missing = ['apiVersion', 'kind'].find((field) => typeof value[field] !== 'string')
  if (missing !== undefined) {
    return `it has no ${missing}`
  }
  return isList(value) || isRecord(value['metadata']) ? undefined : 'it has no metadata'
}

function isList(value: unknown): value is Json & { items: unknown[] } {
  return isRecord(value) && String(value['kind']).endsWith('List') && Array.isArray(value['items'])
}

function notAnObject(source: string, reason: string): VplaneError {
  return new VplaneError('INVALID_SPEC', `${source} is not a Kubernetes object: ${reason}`)
}
