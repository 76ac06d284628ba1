import type { Ui } from '../../shared/ui.ts'

export interface Operation {
  ui: Ui
  signal: AbortSignal
  /** How long to wait for components, in milliseconds, and on this machine for another vplane; without the download of binaries. @default 300_000 */
  timeoutMs?: number
}
