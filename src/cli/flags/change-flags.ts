import type { ChangeOptions } from '../../control-plane/use-cases/change/change-control-plane.ts'
import { dryRunFlag, timeoutFlag, yesFlag } from './flags.ts'
import { shareNamespaceFlag } from './host-flags.ts'
import { selectorFlags } from './selector-flags.ts'

/** The flags of every command that changes a plane. */
export const changeFlags = {
  ...selectorFlags,
  yes: yesFlag(),
  'dry-run': dryRunFlag(),
  timeout: timeoutFlag(),
}

/** The flags of every command that changes any field of a spec. */
export const specChangeFlags = { ...changeFlags, 'share-namespace': shareNamespaceFlag() }

/** Those flags as options of a use case. */
export function changeOptionsOf(flags: {
  yes: boolean
  'dry-run': boolean
  timeout: number
  'share-namespace'?: boolean
}): Pick<ChangeOptions, 'isConfirmed' | 'isDryRun' | 'shareNamespace' | 'timeoutMs'> {
  return {
    isConfirmed: flags.yes,
    isDryRun: flags['dry-run'],
    shareNamespace: flags['share-namespace'] ?? false,
    timeoutMs: flags.timeout,
  }
}
