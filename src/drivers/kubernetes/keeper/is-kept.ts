import { isNeverStarted } from '../../../control-plane/plane/recorded-plane.ts'
import { runsWhilePaused } from '../../../control-plane/plane/runs-while-paused.ts'
import type { PlaneRecord } from '../record/plane-record.ts'

/** Whether a plane needs the keeper of its namespace now. */
export function isKept(record: PlaneRecord): boolean {
  const { desired, spec } = record
  return (
    spec.host?.keeper !== undefined &&
    (desired === 'running' || (!isNeverStarted(record) && runsWhilePaused(spec, 'keeper')))
  )
}

/** Whether a plane may have settings for the keeper of its namespace. */
export function mayBeKept(record: Pick<PlaneRecord, 'previousSpec' | 'spec'> | undefined): boolean {
  return (
    record === undefined ||
    [record.spec, record.previousSpec].some((spec) => spec?.host?.keeper !== undefined)
  )
}
