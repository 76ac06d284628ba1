import type { Ui } from '../shared/ui.ts'
import type { Listed } from './plane-result.ts'
import { planeTable } from './plane-table.ts'

export interface PlanesTextOptions {
  /** How the user called vplane. */
  bin: string
  ui: Pick<Ui, 'note'>
  /** Columns of the terminal; undefined without one. */
  width: number | undefined
}

/** What `list` prints on stdout; undefined without planes: how to make one is said as a note then. */
export function planesText(
  listed: readonly Listed[],
  { bin, ui, width }: PlanesTextOptions,
): string | undefined {
  if (listed.length === 0) {
    ui.note(`There are no control planes yet: ${bin} create NAME makes one.`)
    return undefined
  }
  return planeTable(listed, { now: new Date(), width })
}
