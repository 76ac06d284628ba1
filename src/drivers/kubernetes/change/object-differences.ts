import { isDeepStrictEqual } from 'node:util'
import { isRecord, recordAt, textAt } from '../../../shared/json-fields.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** Longer lines are shortened at their end. */
const MOST_CHARACTERS = 160

/**
 * Returns the differences between the current and the future object as lines: `-
 * spec.template.spec.containers[etcd].image: "etcd:1"`. Items of text arrays, such as flags, and lines of long texts
 * are compared without their position. Never shows the contents of Secrets, nor fields that the host manages.
 */
export function objectDifferences(live: KubeObject, applied: KubeObject): string[] {
  const [before, after] = [live, applied].map((object) =>
    linesIn(contentsOf(withoutSecrets(object))),
  )
  const isIn = (lines: readonly Line[] = []) => new Set(lines.map(textOf))
  const [known, wanted] = [isIn(before), isIn(after)]
  const gone = (before ?? []).filter((line) => !wanted.has(textOf(line)))
  const come = (after ?? []).filter((line) => !known.has(textOf(line)))
  const lines = [
    ...gone.map((line) => ({ ...line, sign: '-' })),
    ...come.map((line) => ({ ...line, sign: '+' })),
  ]
  const secrets = live.kind === 'Secret' ? otherSecrets(live, applied) : []
  const byPath = [...Map.groupBy(lines, ({ path }) => path).values()].flat()
  return [...byPath.map((line) => shortened(`${line.sign} ${textOf(line)}`)), ...secrets]
}

/** Returns the contents of an object without the fields that the host manages. */
export function contentsOf({ metadata, status: _status, ...fields }: KubeObject): unknown {
  const { annotations = {}, labels = {}, ownerReferences = [] } = metadata
  return { ...fields, annotations, labels, ownerReferences }
}

interface Line {
  path: string
  text: string
}

function linesIn(value: unknown, path = ''): Line[] {
  if (Array.isArray(value)) {
    return value.flatMap((one: unknown, index) => linesIn(one, pathOfItem(one, path, index)))
  }
  if (isRecord(value)) {
    return Object.entries(value).flatMap(([name, field]) =>
      linesIn(field, path === '' ? name : `${path}.${name}`),
    )
  }
  return typeof value === 'string' && value.includes('\n')
    ? value.split('\n').map((text) => ({ path, text }))
    : [{ path, text: JSON.stringify(value) ?? '' }]
}

/** Identifies items by their names; texts have no position. */
function pathOfItem(item: unknown, path: string, index: number): string {
  return isRecord(item) ? `${path}[${textAt(item, 'name') ?? index}]` : path
}

function textOf({ path, text }: Line): string {
  return `${path}: ${text}`
}

function withoutSecrets(object: KubeObject): KubeObject {
  const { data: _data, stringData: _text, ...rest } = object
  return object.kind === 'Secret' ? rest : object
}

/** Returns the names of the changed values of a Secret. */
function otherSecrets(live: KubeObject, applied: KubeObject): string[] {
  const [before, after] = [live, applied].map((object) => recordAt(object, 'data'))
  return Object.keys({ ...before, ...after })
    .filter((name) => !isDeepStrictEqual(before?.[name], after?.[name]))
    .map((name) => `~ data.${name}, which is not shown`)
}

function shortened(line: string): string {
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line
}
