import { processTableOf } from '../../../../src/shared/processes/process-table-of.ts'
import type { ClusterRecord } from './cluster-record.ts'

type Owner = NonNullable<ClusterRecord['owner']>

/** This process, as the owner of a cluster. */
export function thisProcess(): Owner {
  const table = processTableOf(process.platform)
  return {
    processId: process.pid,
    startTime: table.startTimeOf(process.pid) ?? '',
    bootId: table.bootId(),
  }
}

/** Whether the process that a cluster ends with has ended; one without an owner never does. */
export function isOrphan(
  { owner }: Pick<ClusterRecord, 'owner'>,
  table = processTableOf(process.platform),
): boolean {
  return (
    owner !== undefined &&
    (owner.bootId !== table.bootId() || owner.startTime !== table.startTimeOf(owner.processId))
  )
}
