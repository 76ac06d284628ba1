import type { UserSpec } from '../../control-plane/spec/spec.ts'
import { type GivenHostFlags, hostFieldPairs } from '../flags/host-flags.ts'
import { specFromFlags, type SpecFlags } from './spec-from-flags.ts'

/**
 * The user's spec out of all flags of a command that say what a plane is.
 *
 * @param given the flags that were on the command line, not defaults of them
 * @throws {VplaneError} as `specFromFlags` does.
 */
export function saidSpec(
  flags: Omit<SpecFlags, 'isVersionDefault' | 'pairs'> &
    GivenHostFlags & { idle?: string | undefined; renew?: boolean | undefined },
  given: ReadonlySet<string>,
): Promise<UserSpec> {
  const isVersionDefault = !given.has('version')
  const pairs = [
    ...hostFieldPairs(flags),
    ...(flags.idle === undefined ? [] : [`idle=${flags.idle}`]),
    ...(flags.renew === true ? ['renew=true'] : []),
  ]
  return specFromFlags({ ...flags, isVersionDefault, pairs })
}
