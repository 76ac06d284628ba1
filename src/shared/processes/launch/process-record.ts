import { readFileSync, rmSync } from 'node:fs'
import { writeFile } from '../../files/write-file.ts'
import type { ProcessTable } from '../process-table.ts'
import { isRecord } from '../../json-fields.ts'

/** A started process, as it is written down beside what it belongs to. */
export interface ProcessRecord {
  formatVersion: 1
  processId: number
  startTime: string
  bootId: string
  startedAt: string
  /** Of all that it was started with, when whoever started it wants to know later. */
  checksum?: string
}

/** The record of a process that was just started. */
export function recordOf(processId: number, table: ProcessTable): ProcessRecord {
  return {
    formatVersion: 1,
    processId,
    // A process that is gone already has no start time; an empty one matches no process ever.
    startTime: table.startTimeOf(processId) ?? '',
    bootId: table.bootId(),
    startedAt: new Date().toISOString(),
  }
}

/** Writes down a process that was just started. */
export async function writeProcessRecord(path: string, record: ProcessRecord): Promise<void> {
  await writeFile(path, `${JSON.stringify(record)}\n`)
}

/** The record at `path`; undefined when there is none or it is damaged: then the process is looked for by its arguments. */
export function readProcessRecord(path: string): ProcessRecord | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isProcessRecord(value) ? value : undefined
  } catch {
    // Missing or cut off: the caller treats both as not started.
    return undefined
  }
}

/** Forgets a process. */
export async function removeProcessRecord(path: string): Promise<void> {
  rmSync(path, { force: true })
}

/** Tells whether the recorded process lives: the same id, started at the same time, in the same boot. */
export function isAlive(
  record: ProcessRecord | undefined,
  table: ProcessTable,
): record is ProcessRecord {
  return (
    record !== undefined &&
    record.bootId === table.bootId() &&
    record.startTime === table.startTimeOf(record.processId)
  )
}

function isProcessRecord(value: unknown): value is ProcessRecord {
  return (
    isRecord(value) &&
    Number.isSafeInteger(value['processId']) &&
    Number(value['processId']) > 1 &&
    'startTime' in value &&
    'bootId' in value &&
    'startedAt' in value
  )
}
