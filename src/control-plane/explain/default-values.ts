import { isDeepStrictEqual } from 'node:util'
import { fieldAt } from '../../shared/json-fields.ts'
import type { HostPreset } from '../spec/fields/host-spec.ts'
import { resolveSpec } from '../spec/resolve-spec.ts'
import type { UserSpec } from '../spec/spec.ts'

/** The value of a field that a spec leaves out. */
export interface DefaultValue {
  value: unknown
  /** The presets or drivers that have it; empty when all do. */
  of: string[]
}

/** Fields are resolved only in sections that a plane has. */
export const LOCAL: UserSpec = { backup: { schedule: 'daily', store: 's3://bucket/planes' } }
export const HOSTED: UserSpec = { ...LOCAL, sync: { nodes: true, scheduler: 'virtual' } }

const PRESETS = ['nano', 'small', 'ha'] as const satisfies HostPreset[]

/** The values that vplane gives to a field that a spec leaves out, one or several by preset. */
export function defaultValues(path: readonly string[]): DefaultValue[] {
  const isSet = (user: UserSpec) => fieldAt(user, ...path) !== undefined
  const valueIn = (spec: object) => fieldAt(spec, ...path)
  const local = isSet(LOCAL) ? undefined : valueIn(resolveSpec(LOCAL, 'local'))
  const found = PRESETS.flatMap((preset) => {
    const user: UserSpec = preset === 'nano' ? HOSTED : { ...HOSTED, preset }
    const spec = isSet(user) ? {} : resolveSpec(user, 'kubernetes')
    const common = valueIn(spec)
    const value = common ?? fieldAt(spec, 'host', ...path)
    return value === undefined ? [] : [{ preset, value, isOfDriver: common !== undefined }]
  })
  const values = found
    .map(({ value }) => value)
    .filter((value, index, all) => all.findIndex((one) => isDeepStrictEqual(one, value)) === index)
  const [first] = found
  if (values.length === 1) {
    const isForAll = first?.isOfDriver === false || local !== undefined
    return [{ value: values[0], of: isForAll ? [] : ['kubernetes'] }]
  }
  return values.map((value) => ({
    value,
    of: found.filter((one) => isDeepStrictEqual(one.value, value)).map(({ preset }) => preset),
  }))
}
