import type { Ui } from '../../shared/ui.ts'

/** What every longer operation gets: somebody to tell, and a way to be stopped. */
export interface Operation {
  ui: Ui
  signal: AbortSignal
  /** How long to wait for components, in milliseconds; getting binaries does not count. @default 300_000 */
  timeoutMs?: number
}
