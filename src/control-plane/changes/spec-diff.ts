import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../shared/json-fields.ts'

/** One difference between two specs. */
export interface SpecDifference {
  /** Such as `apiServer.extraArgs.v`. */
  path: string
  /** undefined: not set. */
  stored: unknown
  wanted: unknown
}

/** What differs between the spec a plane was made with and the one asked for now, by path; empty when they are equal. */
export function specDifferences(stored: object, wanted: object): SpecDifference[] {
  const before = flatten(stored)
  const after = flatten(wanted)
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return paths
    .map((path) => ({ path, stored: before.get(path), wanted: after.get(path) }))
    .filter((row) => !isDeepStrictEqual(row.stored, row.wanted))
}

/** `- apiGroups: all` and `+ apiGroups: lean`, a line each. */
export function formatDifferences(differences: readonly SpecDifference[]): string[] {
  return differences.flatMap(({ path, stored, wanted }) => [
    ...(stored === undefined ? [] : [`- ${path}: ${JSON.stringify(stored)}`]),
    ...(wanted === undefined ? [] : [`+ ${path}: ${JSON.stringify(wanted)}`]),
  ])
}

function flatten(value: unknown, prefix = ''): Map<string, unknown> {
  if (!isRecord(value)) {
    return new Map(value === undefined ? [] : [[prefix, value]])
  }
  return new Map(
    Object.entries(value).flatMap(([name, field]) => [
      ...flatten(field, prefix === '' ? name : `${prefix}.${name}`),
    ]),
  )
}
