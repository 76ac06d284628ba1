import { isEndingWithin } from '../../../control-plane/status/certificate-ends.ts'
import { RENEW_WITHIN_MS } from '../../../pki/issue/lifetimes.ts'
import { trimLogs } from '../logs/trim-log.ts'
import { silentUi, type Ui } from '../../../shared/ui.ts'
import { isBeingWoken, isWokenByAny } from '../../../control-plane/plane/is-woken-by-any.ts'
import { needsKeeper } from '../../../control-plane/spec/needs-keeper.ts'
import { ownStoreOf } from '../../../control-plane/store/store.ts'
import { messageOf } from '../../../shared/errors.ts'
import { runningComponents } from '../components/running-components.ts'
import type { StartContext } from '../components/start-context.ts'
import { currentRecord } from '../store/current-record.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { certificateExpiry } from '../certificates/certificate-expiry.ts'

const LOCK_TIMEOUT_MS = 5000

/**
 * Maintains a plane, as no process of vplane stays resident: trims logs, renews leaf certificates in their last 90
 * days, and starts a missing keeper. Every status of the plane does this, and leaves a failure to the next. Returns
 * when the first certificate of the plane expires then; undefined before it has any.
 */
export async function maintainPlane(
  {
    now,
    store,
    ...context
  }: Pick<StartContext, 'ensureKeeper' | 'kept' | 'now' | 'store' | 'table'>,
  record: PlaneRecord,
): Promise<Date | undefined> {
  const folder = store.folder(record.name)
  await trimLogs(folder)
  if (
    isWokenByAny(record) ||
    isBeingWoken(record) ||
    runningComponents(folder, context.table).has(ownStoreOf(record.spec) ?? 'kube-apiserver')
  ) {
    await ensureKeeperFor(context, record, silentUi)
  }
  const read = () => certificateExpiry(folder)
  const expiry = context.kept === undefined ? read() : context.kept.expiry(folder, read)
  if (record.isBootstrapped && isEndingWithin(RENEW_WITHIN_MS, expiry, now())) {
    try {
      const { renewCertificates } = await import('../certificates/renew-certificates.ts')
      await using _lock = await store.lock(record.name, {
        signal: AbortSignal.timeout(LOCK_TIMEOUT_MS),
      })
      await currentRecord(store, record)
      await renewCertificates(folder, { now: now() })
      return certificateExpiry(folder)
    } catch {
      // The status shows when they expire.
    }
  }
  return expiry
}

/** Starts the keeper for a plane that needs one: it runs, or clients wake it. A failure is a warning; the next command tries again. */
export async function ensureKeeperFor(
  { ensureKeeper }: Pick<StartContext, 'ensureKeeper'>,
  record: PlaneRecord,
  ui: Pick<Ui, 'warn'>,
): Promise<void> {
  const { desired, idleSince, name, spec } = record
  const isPausing = idleSince !== undefined
  if (!needsKeeper(spec) || (desired !== 'running' && !isPausing && !isWokenByAny(record))) {
    return
  }
  try {
    await ensureKeeper?.()
  } catch (error) {
    ui.warn(`the keeper of "${name}" cannot be started: ${messageOf(error)}`)
  }
}
