import { readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { memoryOf } from './plane-memory.ts'
import { median } from './statistics.ts'

/** Proportional set size (PSS) of one process in MiB, and what of it is what. */
export interface ProcessParts {
  /** The name of its program's file. */
  program: string
  total: number
  /** Heaps, stacks and all else that is in no file. */
  own: number
  /** Machine code in files; the rest are constants and data in files. */
  code: number
}

const EACH_MAPPING = /^(?=[0-9a-f]+-[0-9a-f]+ )/m
/** The first line of a mapping of a file that may be executed. */
const IS_CODE = /^[0-9a-f]+-[0-9a-f]+ ..x. .* \//

/** What the memory of a process consists of. */
export function processParts(id: number): ProcessParts {
  const mappings = readFileSync(`/proc/${id}/smaps`, 'utf8').split(EACH_MAPPING)
  const code = mappings
    .filter((mapping) => IS_CODE.test(mapping))
    .reduce((sum, mapping) => sum + Number(/^Pss:\s+(\d+) kB$/m.exec(mapping)?.[1]) / 1024, 0)
  return { program: basename(readlinkSync(`/proc/${id}/exe`)), ...memoryOf(id), code }
}

/** Medians of several planes, by program. */
export function formatParts(planes: ReadonlyArray<readonly ProcessParts[]>): string {
  const programs = [...new Set(planes.flat().map(({ program }) => program))].toSorted()
  const parts = programs.map((program) => {
    const ofProgram = planes.map((processes) => processes.filter((one) => one.program === program))
    const middle = (of: (one: ProcessParts) => number) =>
      median(ofProgram.map((all) => all.reduce((sum, one) => sum + of(one), 0))).toFixed(0)
    const own = middle((one) => one.own)
    const code = middle((one) => one.code)
    return `${program} ${middle((one) => one.total)} MiB (${own} of its own, ${code} code)`
  })
  return parts.join(', ')
}
