import { readFileSync } from 'node:fs'
import { COMPONENT_NAMES, type ComponentName } from '../src/control-plane/plane/plane.ts'
import { readProcessRecord } from '../src/shared/processes/launch/process-record.ts'
import { planeFolder } from '../src/drivers/local/store/plane-folder.ts'
import { median } from './statistics.ts'

/** Memory of one process in MiB, by the kernel's account of it. */
export interface ProcessMemory {
  name: ComponentName
  /** Proportional set size (PSS): what is its own, and its share of what it has in common with others. */
  total: number
  /** What is its own: not the pages of the program's file. */
  own: number
}

/** The memory of each process of a plane. */
export function planeMemory(planes: string, name: string): ProcessMemory[] {
  const folder = planeFolder(`${planes}/${name}`)
  return COMPONENT_NAMES.map((component) => {
    const processId = readProcessRecord(folder.processOf(component))?.processId
    return { name: component, ...memoryOf(Number(processId)) }
  })
}

/** The memory of a process. */
export function memoryOf(processId: number): Omit<ProcessMemory, 'name'> {
  const rollup = readFileSync(`/proc/${processId}/smaps_rollup`, 'utf8')
  return { total: field(rollup, 'Pss'), own: field(rollup, 'Pss_Anon') }
}

/** The sum over all processes of a plane. */
export function totalMemory(processes: readonly ProcessMemory[]): number {
  return processes.reduce((sum, { total }) => sum + total, 0)
}

/** Medians of several planes, by process: what all of them takes, and what of that is their own. */
export function formatMemory(planes: ReadonlyArray<readonly ProcessMemory[]>): string {
  const medians = COMPONENT_NAMES.map((name) => {
    const samples = planes.flatMap((processes) => processes.filter((one) => one.name === name))
    return {
      name,
      total: median(samples.map(({ total }) => total)),
      own: median(samples.map(({ own }) => own)),
    }
  })
  const parts = medians.map(({ name, total }) => `${name} ${total.toFixed(0)} MiB`)
  const shared = medians.reduce((sum, { own, total }) => sum + total - own, 0)
  return `${parts.join(', ')}; ${shared.toFixed(0)} MiB of this are pages of the programs' files, which all planes of a machine share`
}

/** Whether this machine can tell. */
export function canMeasureMemory(): boolean {
  return process.platform === 'linux'
}

function field(rollup: string, name: string): number {
  const [, kibibytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(rollup) ?? []
  if (kibibytes === undefined) {
    throw new Error(`the kernel does not report "${name}" for a process`)
  }
  return Number(kibibytes) / 1024
}
