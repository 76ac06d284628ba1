import type { Ui } from '../../../../shared/ui.ts'

const MIB = 1024 * 1024

/** Adds up the bytes of downloads that run side by side and shows them, `12 of 250 MiB`, when the text changes. */
export function createDownloadProgress(
  ui: Ui,
  count: number,
): (file: string, received: number, total: number | undefined) => void {
  const files = new Map<string, { received: number; total: number | undefined }>()
  let shown = ''
  return (file, received, total) => {
    files.set(file, { received, total })
    const all = [...files.values()]
    const sum = all.reduce((bytes, each) => bytes + each.received, 0)
    const isKnown = all.length === count && all.every((each) => each.total !== undefined)
    const whole = all.reduce((bytes, each) => bytes + (each.total ?? 0), 0)
    const text = isKnown ? `${toMib(sum)} of ${toMib(whole)} MiB` : `${toMib(sum)} MiB`
    if (text !== shown) {
      shown = text
      ui.progress(text)
    }
  }
}

function toMib(bytes: number): number {
  return Math.round(bytes / MIB)
}
