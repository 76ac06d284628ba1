import type { RecordedPlane } from '../control-plane/plane/recorded-plane.ts'
import { messageOf } from '../shared/errors.ts'
import type { Ui } from '../shared/ui.ts'

interface FormerData {
  dropFormer: (former: string) => Promise<void>
  describe: (former: string) => string
}

/**
 * Drops the former data of a plane after a restore. Returns false if it stays, which a plane with its new data does not fail
 * for: the next restore drops it.
 */
export async function dropFormer(
  data: FormerData,
  former: string,
  { signal, ui }: { signal: AbortSignal; ui: Pick<Ui, 'warn'> },
): Promise<boolean> {
  try {
    await data.dropFormer(former)
    return true
  } catch (error) {
    signal.throwIfAborted()
    const place = data.describe(former)
    ui.warn(`Its former data stays in ${place} until the next restore: ${messageOf(error)}`)
    return false
  }
}

/** Drops the former data that an earlier restore has left, unless that is to be continued. @throws as the data does. */
export async function dropLeftFormer(
  data: Pick<FormerData, 'dropFormer'>,
  { formerData, restoring }: Pick<RecordedPlane, 'formerData' | 'restoring'>,
): Promise<void> {
  if (formerData !== undefined && restoring === undefined) {
    await data.dropFormer(formerData)
  }
}
