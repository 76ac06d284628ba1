import type { LabContext } from '../lab-context.ts'
import { listClusterRecords } from './state/cluster-record.ts'
import { down } from './down.ts'
import { isOrphan } from './state/owner.ts'

/** Removes clusters whose owners were killed before they could. */
export async function reap(context: LabContext): Promise<void> {
  for (const record of listClusterRecords(context.folder.clusters)) {
    if (isOrphan(record)) {
      await down(record.name, context)
    }
  }
}
