import { type Kept, keptOf as keptNow } from '../../../control-plane/plane/kept.ts'
import { isAsleep, isNeverStarted } from '../../../control-plane/plane/recorded-plane.ts'
import { needsKeeper } from '../../../control-plane/spec/needs-keeper.ts'
import type { PlaneRecord } from '../record/plane-record.ts'

/** Whether a plane needs the keeper of its namespace now: for its duties, or only to be woken. */
export function keptOf(record: PlaneRecord): Kept {
  const { desired, spec } = record
  const state = { isAsleep: isAsleep(record), neverStarted: isNeverStarted(record) }
  return spec.host?.keeper === undefined ? 'false' : keptNow({ desired, spec, ...state })
}

/** Whether a plane needs the keeper of its namespace now. */
export function isKept(record: PlaneRecord): boolean {
  return keptOf(record) !== 'false'
}

/** Whether a plane may have settings for the keeper of its namespace. */
export function mayBeKept(record: Pick<PlaneRecord, 'previousSpec' | 'spec'> | undefined): boolean {
  return (
    record === undefined ||
    [record.spec, record.previousSpec].some((spec) => spec?.host?.keeper !== undefined)
  )
}

/** Whether an operator does for a plane what keepers do for others. */
export function isKeptByOperator({
  declaredBy,
  spec,
}: Pick<PlaneRecord, 'declaredBy' | 'spec'>): boolean {
  return declaredBy !== undefined && needsKeeper(spec)
}
