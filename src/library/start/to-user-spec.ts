import { parseSpec } from '../../control-plane/spec/parse-spec.ts'
import type { UserSpec } from '../../control-plane/spec/spec.ts'
import type { StartOptions } from '../types/start-options.ts'

/**
 * The spec that options ask for, checked: ephemeral unless they say otherwise.
 *
 * @throws {VplaneError} `INVALID_SPEC` naming the path and reason of every wrong field, `USAGE` when the version is
 * unknown.
 */
export function toUserSpec({ spec, version }: StartOptions): UserSpec {
  const { ephemeral = true, version: versionOfSpec, ...others } = spec ?? {}
  const said = { ...others, ephemeral, version: version ?? versionOfSpec }
  // Fields that are undefined are as good as absent, at any depth.
  return parseSpec({ flags: JSON.parse(JSON.stringify(said)) })
}
