import { rm } from 'node:fs/promises'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import {
  interruptedBefore,
  type JournalEntry,
  nextEntry,
} from '../../../control-plane/operations/journal.ts'
import type { OperationKind } from '../../../control-plane/operations/unfinished.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import type { RotatedKeys } from '../../../control-plane/rotation/rotation.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { writeFile } from '../../../shared/files/write-file.ts'
import { holderIdentity } from '../../../shared/processes/holder-identity.ts'
import type { Ui } from '../../../shared/ui.ts'
import { usableRecord } from './current-record.ts'
import { formatJournal, type PlaneRecord, unfinishedOf } from './plane-record.ts'
import type { PlaneStore } from './plane-store.ts'

/** An operation on a plane whose lock its caller holds. */
export interface HeldOperation extends Operation {
  /** Records it, before its first change; from then on, its steps too. @default it is not recorded */
  begin?: (step: string) => Promise<void>
}

interface OperationOptions {
  kind: OperationKind
  /** Of a rotation of keys. */
  keys?: RotatedKeys
  operation: Operation
}

interface HoldOptions extends OperationOptions {
  plane: Pick<Plane, 'id' | 'name'>
  kind: Exclude<OperationKind, 'create' | 'remove'>
}

interface HoldContext {
  store: PlaneStore
  now: () => Date
}

/**
 * Works on a plane while no other vplane does, and records which operation works on it.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when it was deleted meanwhile, `FAILED` when something else has to be
 * finished first.
 */
export async function holdPlane<Result>(
  context: HoldContext,
  { plane, ...options }: HoldOptions,
  work: (record: PlaneRecord, operation: HeldOperation) => Promise<Result>,
): Promise<Result> {
  await using _lock = await context.store.lock(plane.name, options.operation)
  const record = await usableRecord(context.store, plane, options.kind)
  return await recordOperation(context, { record, ...options }, (held) => work(record, held))
}

/**
 * Records the operation that works on a plane in the folder of the plane, until it has ended well. The caller holds the
 * lock of the plane.
 */
export async function recordOperation<Result>(
  { now, store }: HoldContext,
  { keys, kind, operation, record }: OperationOptions & { record: PlaneRecord },
  work: (operation: HeldOperation) => Promise<Result>,
): Promise<Result> {
  const file = store.folder(record.name).operation
  const holder = holderIdentity()
  const unfinished = unfinishedOf(record)
  let { journal } = record
  let isBegun = false
  let written = Promise.resolve()
  const write = (step: string) => {
    const next = { operation: kind, keys, step, at: now().toISOString(), holder }
    journal = nextEntry({ journal, unfinished }, next)
    const text = formatJournal(journal)
    written = written.then(() => writeFile(file, text))
    return written
  }
  const begin = async (step: string) => {
    isBegun = true
    await write(step)
  }
  const ui = withSteps(operation.ui, (step) => {
    if (isBegun) {
      write(step).catch(() => {
        // It is recorded already; the end of the operation fails.
      })
    }
  })
  // Also after a failure: another vplane may hold the plane next, and record its own operation.
  const result = await work({ ...operation, ui, begin }).finally(() => written)
  await finish(store, { kind, name: record.name, journal })
  return result
}

/** What was interrupted before, and is still unfinished, is the operation of the plane again. */
async function finish(
  store: PlaneStore,
  { journal, kind, name }: { kind: OperationKind; name: string; journal: JournalEntry | undefined },
): Promise<void> {
  const record = journal && (await store.find(name))?.record
  if (record === undefined || record instanceof VplaneError) {
    return
  }
  const parent = interruptedBefore(kind, { journal, unfinished: unfinishedOf(record) })
  const file = store.folder(name).operation
  await (parent === undefined ? rm(file, { force: true }) : writeFile(file, formatJournal(parent)))
}

function withSteps(ui: Ui, onStep: (text: string) => void): Ui {
  return {
    step: (text) => {
      onStep(text)
      ui.step(text)
    },
    failStep: () => ui.failStep(),
    progress: (detail) => ui.progress(detail),
    warn: (text, hint) => ui.warn(text, hint),
    note: (text, hint) => ui.note(text, hint),
    print: (line) => ui.print(line),
    plan: (steps, as) => ui.plan(steps, as),
    confirm: (question, answer) => ui.confirm(question, answer),
  }
}
