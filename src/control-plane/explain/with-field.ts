import { isRecord } from '../../shared/json-fields.ts'
import type { UserSpec } from '../spec/spec.ts'

export function withField(spec: UserSpec, path: readonly string[], value: unknown): UserSpec {
  // The schema says which values a field may have; the fields around it were right before.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only drafts, which nobody stores, have such values
  return put(spec, path, value) as UserSpec
}

function put(target: unknown, [name = '', ...rest]: readonly string[], value: unknown): unknown {
  const fields = isRecord(target) ? target : {}
  return { ...fields, [name]: rest.length === 0 ? value : put(fields[name], rest, value) }
}
