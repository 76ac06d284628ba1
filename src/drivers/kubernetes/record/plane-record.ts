import { answerTo } from '../../../control-plane/operations/answer.ts'
import { isJournalEntry, type JournalEntry } from '../../../control-plane/operations/journal.ts'
import {
  recordedUnfinished,
  type Unfinished,
} from '../../../control-plane/operations/unfinished.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import {
  isRecordedPlane,
  isRecordedSpec,
  recordedPlane,
  type RecordedPlane,
} from '../../../control-plane/plane/recorded-plane.ts'
import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import type { TemplateOverlay } from '../../../manifests/templates/load-templates.ts'
import {
  type FieldTypes,
  hasFields,
  hasOptional,
  isDate,
  parseStored,
} from '../../../shared/stored-format.ts'
import { fieldAt } from '../../../shared/json-fields.ts'

/** The format this vplane writes; readers take all older ones. */
export const FORMAT_VERSION = 1

/** The content of the Secret `vplane-<name>-record`. */
export interface PlaneRecord extends RecordedPlane {
  /** `kept`: the plane was deleted without its data; nothing of it runs. */
  desired: 'running' | 'paused' | 'kept'
  /** True once all keys and certificates are stored in Secrets: until then all may be created again. */
  hasKeys: boolean
  /** True once all objects were applied: until then every start continues the creation. */
  isComplete: boolean
  /** Whether vplane created the namespace, and deletes it with the plane. */
  createdNamespace: boolean
  /** Whether other planes may be in its namespace, although a syncer reads every Secret there. @default false */
  sharesNamespace?: boolean
  /** Whether each component is created when the one before it is ready. @default all are created at once */
  startsInOrder?: boolean
  /** Whether keys below its prefix in a shared etcd are its own: there were none before. @default false */
  ownsPrefix?: boolean
  /** During a change: the current number of members of etcd. @default as in the spec */
  etcdMembers?: number | undefined
  /**
   * While a lost majority is repaired: the ordinals that restarted without data to give etcd a majority.
   * No other member may join them, because they could outvote those that have data.
   */
  regaining?: number[] | undefined
  /** During a change: the spec of the existing objects. */
  previousSpec?: PlaneSpec | undefined
  templates?: TemplateOverlay
  /** CA bundle of its API, PEM; undefined until it has certificates. */
  certificateAuthority?: string
  /** When the first of its certificates expires. */
  certificatesExpireAt?: string
  /** Whether the host chooses the user and group ids of pods. */
  hostGivesIds?: boolean
  /** Paths of the collections with its objects, including those of its templates. */
  collections?: string[]
  /** Additional addresses in the certificate of its API. */
  serverAddresses?: string[]
  /** After a restore: the pods of etcd that need no replacement. */
  restoredPods?: RestoredPods | undefined
  restoring?:
    | (NonNullable<RecordedPlane['restoring']> & {
        sha256?: string
        /** What is added to the revisions in the snapshot. */
        bump?: number
        /** The former data of a database is retained. @default it is dropped */
        keepFormer?: boolean
      })
    | undefined
  /** It runs, or was interrupted. */
  journal?: JournalEntry | undefined
}

/** Revisions of the StatefulSet of etcd: pods of `made` differ from those of `like` only by a restore that is done. */
export interface RestoredPods {
  made: string
  like: string
}

/** The fields that tell what is unfinished on a plane. */
type UnfinishedFields = Pick<
  PlaneRecord,
  'isComplete' | 'journal' | 'movingTo' | 'previousSpec' | 'regaining' | 'restoring'
>

/** Converts a record to the domain's plane. */
export function toPlane(
  record: PlaneRecord,
  { hostContext, namespace }: { namespace: string; hostContext: string },
): Plane {
  const unfinished = unfinishedOf(record).flatMap(({ kind }) => (kind === 'other' ? [] : kind))
  return { driver: 'kubernetes', namespace, hostContext, ...recordedPlane(record, unfinished) }
}

/** What is unfinished on a plane, the strictest first. A maintenance that was interrupted is not. */
export function unfinishedOf(record: UnfinishedFields): Unfinished[] {
  const { isComplete, journal, previousSpec, regaining } = record
  const { operation } = journal ?? { operation: 'maintain' as const }
  return [
    ...(operation === 'remove' ? [{ kind: 'deletion' } as const] : []),
    ...recordedUnfinished(record),
    ...(regaining === undefined ? [] : [{ kind: 'majority' } as const]),
    ...(isComplete ? [] : [{ kind: 'creation' } as const]),
    ...(previousSpec === undefined ? [] : [{ kind: 'change' } as const]),
    ...(operation === 'maintain' ? [] : [{ kind: 'other', operation } as const]),
  ]
}

/** Whether an operation on a plane runs or was interrupted, so that duties of maintenance wait for its end. */
export function isUnfinished(record: PlaneRecord): boolean {
  return answerTo('maintain', unfinishedOf(record)) === 'wait'
}

/** @throws {VplaneError} `FAILED` when the record is damaged or of a newer format. */
export function parsePlaneRecord(text: string, source: string): PlaneRecord {
  return parseStored(text, { source, formatVersion: FORMAT_VERSION }, isPlaneRecord)
}

const RECORD_FIELDS: FieldTypes = {
  writtenBy: 'string',
  hasKeys: 'boolean',
  isComplete: 'boolean',
  createdNamespace: 'boolean',
}

function isPlaneRecord(value: unknown): value is PlaneRecord {
  const journal = fieldAt(value, 'journal')
  return (
    isRecordedPlane(value) &&
    hasFields(value, RECORD_FIELDS) &&
    hasFields(fieldAt(value, 'spec'), { host: 'object' }) &&
    ['running', 'paused', 'kept'].includes(String(fieldAt(value, 'desired'))) &&
    isDate(fieldAt(value, 'certificatesExpireAt') ?? fieldAt(value, 'createdAt')) &&
    hasOptional(value, 'string', ['certificateAuthority']) &&
    hasOptional(value, 'boolean', [
      'hostGivesIds',
      'ownsPrefix',
      'sharesNamespace',
      'startsInOrder',
    ]) &&
    hasOptional(value, 'number', ['etcdMembers']) &&
    isRecordedSpec(fieldAt(value, 'previousSpec') ?? fieldAt(value, 'spec')) &&
    isOverlay(fieldAt(value, 'templates')) &&
    isArrayOf('string', fieldAt(value, 'collections') ?? []) &&
    isArrayOf('string', fieldAt(value, 'serverAddresses') ?? []) &&
    isArrayOf('number', fieldAt(value, 'regaining') ?? []) &&
    hasOptional(fieldAt(value, 'restoring'), 'string', ['sha256']) &&
    hasOptional(fieldAt(value, 'restoring'), 'number', ['bump']) &&
    hasOptional(fieldAt(value, 'restoring'), 'boolean', ['keepFormer']) &&
    isRestoredPods(fieldAt(value, 'restoredPods')) &&
    (journal === undefined || isJournalEntry(journal))
  )
}

function isOverlay(value: unknown): boolean {
  const files = fieldAt(value, 'files')
  const isOverlaid =
    hasFields(value, { folder: 'string', files: 'object' }) &&
    isArrayOf('string', Object.values(Object(files)))
  return value === undefined || isOverlaid
}

function isArrayOf(type: 'string' | 'number', value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === type)
}

function isRestoredPods(value: unknown): boolean {
  return value === undefined || hasFields(value, { made: 'string', like: 'string' })
}
