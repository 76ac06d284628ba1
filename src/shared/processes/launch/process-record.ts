import { existsSync, readFileSync, rmSync } from 'node:fs'
import { writeFile } from '../../files/write-file.ts'
import type { ProcessTable } from '../process-table.ts'
import { isRecord } from '../../json-fields.ts'

export interface ProcessRecord {
  formatVersion: 1
  processId: number
  startTime: string
  bootId: string
  startedAt: string
  /** The checksum of everything that it was started with, to detect changes later. */
  checksum?: string
}

/** The record of a process that was just started. */
export function recordOf(processId: number, table: ProcessTable): ProcessRecord {
  return {
    formatVersion: 1,
    processId,
    // A process that has already ended has no start time; an empty one never matches a process.
    startTime: table.startTimeOf(processId) ?? '',
    bootId: table.bootId(),
    startedAt: new Date().toISOString(),
  }
}

/** Writes the record of a process. */
export async function writeProcessRecord(path: string, record: ProcessRecord): Promise<void> {
  await writeFile(path, `${JSON.stringify(record)}\n`)
}

/** Reads a record; undefined when it is missing or damaged: the process is then found by its arguments. */
export function readProcessRecord(path: string): ProcessRecord | undefined {
  // As for every component of a plane that sleeps; an error takes ten times as long as a look.
  if (!existsSync(path)) {
    return undefined
  }
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isProcessRecord(value) ? value : undefined
  } catch {
    // Missing or incomplete: the caller treats both as not started.
    return undefined
  }
}

/** Removes the record of a process. */
export async function removeProcessRecord(path: string): Promise<void> {
  rmSync(path, { force: true })
}

/** Whether the recorded process still runs: the same id, start time and boot. */
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
