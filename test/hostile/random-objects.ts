import { isRecord } from '../../src/shared/json-fields.ts'
import type { KubeObject } from '../../src/shared/kube/kube-object.ts'
import { oneOf } from '../support/random-numbers.ts'
import type { fieldsOfVersion } from '../syncer/fields/fields-of-version.ts'
import { type FieldType, merged, sampleOf } from '../syncer/fields/field-samples.ts'
import { hostileValue, type Prey } from './hostile-values.ts'

/** Those that the API server itself decides. */
const GIVEN =
  /^(apiVersion|kind|metadata\.(name|namespace|uid|generateName|resourceVersion|selfLink|creationTimestamp|deletion\w+|generation|managedFields.*))$/

const MOST_FIELDS = 5

/** What of an object one request changes: the others are left alone by the API server. */
export type Part = 'spec' | 'status' | 'ephemeralContainers'

export interface RandomObjectOptions {
  /** Of each kind, as `fieldsOfVersion` reads them. */
  fields: ReturnType<typeof fieldsOfVersion>
  prey: Prey
  random: () => number
}

/** Fields with their values. */
export type FieldValues = ReadonlyArray<readonly [FieldType, unknown]>

/** Random fields for a part of an object of a kind. */
export function randomFields(
  kind: string,
  { fields, prey, random }: RandomObjectOptions,
  part: Part = 'spec',
): FieldValues {
  const all = Object.entries(fields[kind] ?? {}).filter(
    ([path]) => !GIVEN.test(path) && partOf(path) === part,
  )
  const count = 1 + Math.floor(random() * MOST_FIELDS)
  return Array.from({ length: count }, () => {
    const field = oneOf(all, random)
    return [field, hostileValue(field, prey, random)] as const
  })
}

function partOf(path: string): Part {
  return path.startsWith('status.')
    ? 'status'
    : path.startsWith('spec.ephemeralContainers[].')
      ? 'ephemeralContainers'
      : 'spec'
}

/** An object with random fields besides; what the object has itself stays. */
export function withFields(base: KubeObject, fields: FieldValues): KubeObject {
  const parts = fields.map(([field, value]) => sampleOf(field, value))
  const whole = parts.reduce<unknown>((one, other) => merged(one, other), base)
  return isRecord(whole) ? { ...base, ...whole } : base
}

/** Those fields of which an API server did not complain: `named` are the paths of those of which it did. */
export function withoutInvalid(fields: FieldValues, named: readonly string[]): FieldValues {
  const plain = named.map((path) => path.replaceAll(/\[[^\]]*\]/g, ''))
  const left = fields.filter(([[path]]) => {
    const own = path.replaceAll(/\[\]|\{\}/g, '')
    return !plain.some((name) => name.startsWith(own) || own.startsWith(name))
  })
  return left.length === fields.length ? [] : left
}
