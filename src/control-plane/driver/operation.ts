import type { Ui } from '../../shared/ui.ts'

/** The user interface, signal and deadline of a longer operation. */
export interface Operation {
  ui: Ui
  signal: AbortSignal
  /** How long to wait for components, in milliseconds, without the download of binaries. @default 300_000 */
  timeoutMs?: number
}
