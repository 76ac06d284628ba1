import {
  ROTATED_KEYS,
  ROTATION_STAGES,
  type RotationStep,
} from '../../control-plane/rotation/rotation.ts'
import { damaged, parseStored, stampOf } from '../../shared/stored-format.ts'
import type { PkiFiles } from '../plane/certificate-expiry.ts'
import { without } from './pki-files.ts'
import { recordAt } from '../../shared/json-fields.ts'

/**
 * Name of the file, among those of a plane's PKI, that is there while a stage of a rotation is being taken. It says how
 * all files that the stage changes are to be: it is written in one step and first, so that whoever finds half of the
 * others written knows the rest.
 */
export const PENDING_FILE = 'rotation.json'

const FORMAT_VERSION = 1

interface PendingRotation {
  step: RotationStep
  /** The files that differ; those that are to go are null. */
  files: Record<string, string | null>
}

/** The files, with it written down that they are becoming `next` by a step. */
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

/**
 * The files as the stage that was begun wants them; as they are while there is none.
 *
 * @throws {VplaneError} `FAILED` when what was begun cannot be read.
 */
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

/** The files when the stage that was begun is done. */
export function finish(files: PkiFiles): PkiFiles {
  return without(withPending(files), [PENDING_FILE])
}

/**
 * The step that was begun and is not done; undefined while there is none.
 *
 * @throws {VplaneError} `FAILED` when what was begun cannot be read.
 */
export function pendingStep(files: PkiFiles): RotationStep | undefined {
  return parsePending(files)?.step
}

function parsePending(files: PkiFiles): PendingRotation | undefined {
  const text = files[PENDING_FILE]
  if (text === undefined) {
    return undefined
  }
  const format = { source: `"${PENDING_FILE}" among its keys`, formatVersion: FORMAT_VERSION }
  const value = parseStored(text, format)
  if (!isPending(value)) {
    throw damaged(format)
  }
  return value
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
