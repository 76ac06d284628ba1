import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../shared/json-fields.ts'

export interface SpecDifference {
  /** `apiServer.extraArgs.v` */
  path: string
  stored: unknown
  wanted: unknown
}

/** The differences between the stored spec and the wanted one, sorted by path. */
export function specDifferences(stored: object, wanted: object): SpecDifference[] {
  const before = flatten(stored)
  const after = flatten(wanted)
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return paths
    .map((path) => ({ path, stored: before.get(path), wanted: after.get(path) }))
    .filter((row) => !isDeepStrictEqual(row.stored, row.wanted))
}

/** The differences as lines: `- apiGroups: all` and `+ apiGroups: lean`. */
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
