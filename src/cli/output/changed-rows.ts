import type { Listed } from '../results/plane-result.ts'
import { planeTable, type PlaneTableOptions } from './plane-table.ts'
import type { Watched } from './watch-planes.ts'

/**
 * Formats the rows of planes that change after `list` printed the first ones; with a header whenever their columns are not those
 * of the header before. The planes of the first list keep the columns where they are.
 */
export function changedRows(
  listed: readonly Listed[],
  printed = '',
): (changed: readonly Watched[], options: PlaneTableOptions) => string {
  let columns = columnsOf(printed)
  return (changed, options) => {
    const [header = '', ...rows] = planeTable([...listed, ...changed], options).split('\n')
    const isKnown = columnsOf(header) === columns
    columns = columnsOf(header)
    return [...(isKnown ? [] : [header]), ...rows.slice(listed.length)].join('\n')
  }
}

/** The names in the first line, however wide their columns are. */
function columnsOf(text: string): string {
  return /^.*/.exec(text)?.[0].trim().replaceAll(/\s+/g, ' ') ?? ''
}
