import type { Unfinished } from '../../control-plane/operations/unfinished.ts'
import {
  ROTATED_KEYS,
  ROTATION_STAGES,
  type RotationStep,
} from '../../control-plane/rotation/rotation.ts'
import { parseStored, stampOf } from '../../shared/stored-format.ts'
import type { PkiFiles } from '../plane/certificate-expiry.ts'
import { without } from './pki-files.ts'
import { recordAt } from '../../shared/json-fields.ts'

/**
 * Name of the file in a plane's PKI that exists during a stage of a rotation. It has the new content of all files that
 * the stage changes, and is written first and in one step, so that an incomplete stage can be completed.
 */
export const PENDING_FILE = 'rotation.json'

const FORMAT_VERSION = 1

interface PendingRotation {
  step: RotationStep
  /** The files that differ; null for files to delete. */
  files: Record<string, string | null>
}

/** The files, with the record that a step changes them to `next`. */
export function begin(files: PkiFiles, next: PkiFiles, step: RotationStep): PkiFiles {
  const names = new Set([...Object.keys(files), ...Object.keys(next)])
  const changed = [...names].filter((name) => files[name] !== next[name])
  const pending = {
    ...stampOf({ writtenBy: '' }, FORMAT_VERSION),
    step,
    files: Object.fromEntries(changed.map((name) => [name, next[name] ?? null])),
  }
  return { ...files, [PENDING_FILE]: `${JSON.stringify(pending, null, 2)}\n` }
}

/** The files after the stage that was begun, if any. @throws {VplaneError} `FAILED` when its record cannot be read. */
export function withPending(files: PkiFiles): PkiFiles {
  const pending = parsePending(files)
  if (pending === undefined) {
    return files
  }
  const all: Record<string, string | null> = { ...files, ...pending.files }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, text]) => (text === null ? [] : [[name, text]])),
  )
}

/** Those files without the record. */
export function finish(files: PkiFiles): PkiFiles {
  return without(withPending(files), [PENDING_FILE])
}

/** The step that was begun and is open. @throws {VplaneError} `FAILED` when its record cannot be read. */
export function pendingStep(files: PkiFiles): RotationStep | undefined {
  return parsePending(files)?.step
}

/** The rotation that has such a step, if any. @throws {VplaneError} as `pendingStep` does. */
export function unfinishedRotation(files: PkiFiles): Unfinished[] {
  const step = pendingStep(files)
  return step === undefined ? [] : [{ kind: 'rotation', keys: step.keys }]
}

function parsePending(files: PkiFiles): PendingRotation | undefined {
  const text = files[PENDING_FILE]
  if (text === undefined) {
    return undefined
  }
  const format = { source: `"${PENDING_FILE}" among its keys`, formatVersion: FORMAT_VERSION }
  return parseStored(text, format, isPending)
}

function isPending(value: unknown): value is PendingRotation {
  const { keys, stage } = recordAt(value, 'step') ?? {}
  const files = recordAt(value, 'files')
  return (
    ROTATED_KEYS.some((known) => known === keys) &&
    ROTATION_STAGES.some((known) => known === stage) &&
    files !== undefined &&
    Object.values(files).every((text) => text === null || typeof text === 'string')
  )
}
