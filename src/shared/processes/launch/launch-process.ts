import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { messageOf, VplaneError } from '../../errors.ts'
import { type ProcessRecord, recordOf } from './process-record.ts'
import type { ProcessTable } from '../process-table.ts'

export interface ProcessSpec {
  /** Its name in errors: `kube-apiserver`. */
  name: string
  binary: string
  args: readonly string[]
  env: Record<string, string>
  workingFolder: string
  /** The file to which stdout and stderr are appended. */
  log: string
}

/** Starts a process that outlives this one. @throws {VplaneError} `COMPONENT_FAILED` when it cannot be executed. */
export async function launchProcess(
  spec: ProcessSpec,
  table: ProcessTable,
): Promise<ProcessRecord> {
  const log = openSync(spec.log, 'a', 0o600)
  try {
    const child = spawn(spec.binary, [...spec.args], {
      cwd: spec.workingFolder,
      detached: true,
      windowsHide: true,
      env: spec.env,
      stdio: ['ignore', log, log],
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    child.unref()
    return recordOf(child.pid ?? 0, table)
  } catch (error) {
    throw new VplaneError('COMPONENT_FAILED', `cannot start ${spec.name}: ${messageOf(error)}`, {
      hints: [`check the file ${spec.binary}`, { action: 'examine-machine' }],
      cause: error,
    })
  } finally {
    closeSync(log)
  }
}
