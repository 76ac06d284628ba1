import { fieldAt } from '../../shared/json-fields.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { type FieldTypes, hasFields, hasOptional, isDate } from '../../shared/stored-format.ts'
import type { PlaneSpec, UserSpec } from '../spec/spec.ts'
import { isDataFingerprint } from './data-fingerprint.ts'
import type { Plane, PlaneMove, UnfinishedKind } from './plane.ts'

/** The name of the former data of a plane that is created for a restore: it has none. */
export const NO_FORMER = 'etcd-before'

/** What the records of all drivers have in common. */
export interface RecordedPlane {
  formatVersion: number
  writtenBy: string
  /** The version of vplane whose templates and flags its components have. @default writtenBy */
  madeBy?: string
  id: string
  name: string
  createdAt: string
  /** When it was last used, if it has paused itself since then. */
  idleSince?: string | undefined
  /** Whether every member of etcd has stored data: then an empty data folder or volume is a loss. */
  hasData: boolean
  /** Whether it was created paused, until its first start. @default false */
  neverStarted?: boolean | undefined
  userSpec: UserSpec
  spec: PlaneSpec
  /** The UID of the ControlPlane that declares it, whose operator does the duties of a keeper. @default none does */
  declaredBy?: string | undefined
  /** Of a restored plane: revisions of the next restore start above it. */
  revisionFloor?: number | undefined
  /** An unfinished restore. */
  restoring?:
    | {
        /** The folder with the plane's former data. */
        former: string
        /** How a user names the snapshot. @default unknown */
        from?: string
        /** The id of the plane that is being moved here from another place. */
        movingFrom?: string
      }
    | undefined
  /** Former data, until a restore has dropped it. It outlives `restoring`. @default there is none */
  formerData?: string | undefined
  /** The plane is fenced by this move while it is in progress, and afterwards. */
  movingTo?: PlaneMove | undefined
}

/** The domain's view of what is recorded and what is unfinished, except for its place. */
export function recordedPlane(
  record: RecordedPlane & { desired: string },
  unfinished: readonly UnfinishedKind[],
): Omit<Plane, 'driver' | 'namespace' | 'hostContext' | 'binDir'> {
  const { idleSince, restoring } = record
  return {
    name: record.name,
    id: record.id,
    createdAt: new Date(record.createdAt),
    writtenBy: record.writtenBy,
    userSpec: record.userSpec,
    spec: record.spec,
    desired: record.desired === 'running' ? 'running' : 'paused',
    ...omitUndefined({
      madeBy: record.madeBy,
      declaredBy: record.declaredBy,
      unfinished: unfinished.length === 0 ? undefined : unfinished,
      neverStarted: isNeverStarted(record) ? true : undefined,
      idleSince: idleSince === undefined ? undefined : new Date(idleSince),
      restoring:
        restoring &&
        omitUndefined({
          from: restoring.from,
          isCreation: restoring.former === NO_FORMER ? true : undefined,
        }),
      movingFrom: restoring?.movingFrom,
      movingTo: record.movingTo,
    }),
  }
}

/** Whether a plane was created paused and has not run since. A restore gives it data, and an older vplane may have started it. */
export function isNeverStarted({
  desired,
  hasData,
  neverStarted,
}: Pick<RecordedPlane, 'hasData' | 'neverStarted'> & { desired: string }): boolean {
  return neverStarted === true && desired === 'paused' && !hasData
}

/** Whether a plane has paused itself. */
export function isAsleep({
  desired,
  idleSince,
}: {
  desired: string
  idleSince?: Date | string | undefined
}): boolean {
  return desired === 'paused' && idleSince !== undefined
}

const FIELDS: FieldTypes = {
  formatVersion: 'number',
  id: 'string',
  name: 'string',
  createdAt: 'string',
  desired: 'string',
  hasData: 'boolean',
  userSpec: 'object',
}

const SPEC_FIELDS: FieldTypes = {
  version: 'string',
  etcdVersion: 'string',
  ephemeral: 'boolean',
  pki: 'object',
  etcd: 'object',
  apiServer: 'object',
  controllerManager: 'object',
}

/** Whether a stored value has the fields that all records have. */
export function isRecordedPlane(value: unknown): boolean {
  const { createdAt, idleSince = createdAt, movingTo, restoring } = Object(value)
  return (
    hasFields(value, FIELDS) &&
    isRecordedSpec(fieldAt(value, 'spec')) &&
    isDate(createdAt) &&
    isDate(idleSince) &&
    hasOptional(value, 'string', ['writtenBy', 'madeBy', 'declaredBy', 'formerData']) &&
    hasOptional(value, 'boolean', ['neverStarted']) &&
    hasOptional(value, 'number', ['revisionFloor']) &&
    (movingTo === undefined || isPlaneMove(movingTo)) &&
    (restoring === undefined ||
      (hasFields(restoring, { former: 'string' }) &&
        hasOptional(restoring, 'string', ['from', 'movingFrom'])))
  )
}

/** Whether a stored value is a resolved spec. */
export function isRecordedSpec(value: unknown): value is PlaneSpec {
  return hasFields(value, SPEC_FIELDS)
}

/** Whether a stored value is the record of a move. */
export function isPlaneMove(value: unknown): value is PlaneMove {
  return (
    hasFields(value, { to: 'object' }) &&
    hasFields(fieldAt(value, 'to'), { name: 'string', driver: 'string' }) &&
    hasOptional(value, 'string', ['handedTo']) &&
    hasOptional(value, 'boolean', ['wasPaused']) &&
    (fieldAt(value, 'handed') === undefined || isDataFingerprint(fieldAt(value, 'handed')))
  )
}
