import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { PlaneFiles } from './plane-keys.ts'
import type { Host, KubernetesContext } from '../context/context.ts'
import type { Journal } from '../record/journal.ts'
import type { PlacedName } from '../context/object-names.ts'

/** A plane that is held while it changes, and what every part of a change needs. */
export interface ChangeContext extends Pick<KubernetesContext, 'databases' | 'diagnose' | 'now'> {
  host: Host
  journal: Journal
  place: PlacedName
  operation: Operation
  files: PlaneFiles
}

/** How long one part of a change may take, in milliseconds. */
export const CHANGE_TIMEOUT_MS = 300_000
