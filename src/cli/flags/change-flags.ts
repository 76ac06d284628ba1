import type { ChangeOptions } from '../../control-plane/use-cases/change/change-control-plane.ts'
import { dryRunFlag, timeoutFlag, yesFlag } from './flags.ts'
import { selectorFlags } from './selector-flags.ts'

/** The flags of every command that changes a plane. */
export const changeFlags = {
  ...selectorFlags,
  yes: yesFlag(),
  'dry-run': dryRunFlag(),
  timeout: timeoutFlag(),
}

/** Those flags as options of a use case. */
export function changeOptionsOf(flags: {
  yes: boolean
  'dry-run': boolean
  timeout: number
}): Pick<ChangeOptions, 'isConfirmed' | 'isDryRun' | 'timeoutMs'> {
  return { isConfirmed: flags.yes, isDryRun: flags['dry-run'], timeoutMs: flags.timeout }
}
