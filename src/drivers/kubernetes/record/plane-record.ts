import type { Plane, PlaneMove } from '../../../control-plane/plane/plane.ts'
import { isPlaneMove } from '../../../control-plane/driver/plane-moves.ts'
import type { PlaneSpec, UserSpec } from '../../../control-plane/spec/spec.ts'
import type { TemplateOverlay } from '../../../manifests/templates/load-templates.ts'
import { damaged, type FieldTypes, hasFields, parseStored } from '../../../shared/stored-format.ts'
import { fieldAt } from '../../../shared/json-fields.ts'

/** The format this vplane writes; readers take all older ones. */
export const FORMAT_VERSION = 1

export interface JournalEntry {
  operation:
    | 'create'
    | 'start'
    | 'pause'
    | 'change'
    | 'remove'
    | 'maintain'
    | 'rotate'
    | 'repair'
    | 'restore'
    | 'move'
  /** The step that was about to start, in words: `applying Secrets`. */
  step: string
  at: string
  holder: string
}

export interface RestoringPlane {
  /** Folder in the volumes for the former data of the plane. */
  former: string
  /** Of the snapshot, hexadecimal. */
  sha256?: string
  /** Id of the plane that is being moved here from another place. */
  movingFrom?: string
}

/** The content of the Secret `vplane-<name>-record`. */
export interface PlaneRecord {
  formatVersion: number
  writtenBy: string
  /** The version of vplane whose templates created its objects. @default writtenBy */
  madeBy?: string
  id: string
  name: string
  createdAt: string
  /** `kept`: the plane was deleted without its data; nothing of it runs. */
  desired: 'running' | 'paused' | 'kept'
  /** When it was used last, if it has paused itself since then. */
  idleSince?: string | undefined
  /** True once all keys and certificates are stored in Secrets: until then all may be created again. */
  hasKeys: boolean
  /** True once all objects were applied: until then every start continues the creation. */
  isComplete: boolean
  /** True once every member of etcd has data: since then an empty volume is a data loss. */
  hasData: boolean
  /** Whether vplane created the namespace, and deletes it with the plane. */
  createdNamespace: boolean
  /** Whether other planes may be in its namespace, although a syncer reads every Secret there. @default false */
  sharesNamespace?: boolean
  userSpec: UserSpec
  spec: PlaneSpec
  /** During a change: the current number of members of etcd. @default as in the spec */
  etcdMembers?: number | undefined
  /** While a member is added: its ordinal; it copies the data of the others. */
  joining?: number | undefined
  /** While a member is added: the ordinals of members that are added later. */
  absent?: number[] | undefined
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
  /** After a restore: the next restore uses higher revisions. */
  revisionFloor?: number | undefined
  /** After a restore: the pods of etcd that need no replacement. */
  restoredPods?: RestoredPods | undefined
  restoring?: RestoringPlane | undefined
  /** Its fence: the move that is in progress or done. */
  movingTo?: PlaneMove | undefined
  /** It runs, or was interrupted. */
  journal?: JournalEntry
}

/** Revisions of the StatefulSet of etcd: pods of `made` differ from those of `like` only by a restore that is done. */
export interface RestoredPods {
  made: string
  like: string
}

/** Converts a record to the domain's plane. */
export function toPlane(
  record: PlaneRecord,
  { hostContext, namespace }: { namespace: string; hostContext: string },
): Plane {
  return {
    driver: 'kubernetes',
    name: record.name,
    namespace,
    hostContext,
    id: record.id,
    createdAt: new Date(record.createdAt),
    writtenBy: record.writtenBy,
    ...(record.madeBy === undefined ? {} : { madeBy: record.madeBy }),
    userSpec: record.userSpec,
    spec: record.spec,
    desired: record.desired === 'running' ? 'running' : 'paused',
    ...(record.idleSince === undefined ? {} : { idleSince: new Date(record.idleSince) }),
    ...(record.restoring === undefined ? {} : { isHalfRestored: true }),
    ...(record.restoring?.movingFrom === undefined
      ? {}
      : { movingFrom: record.restoring.movingFrom }),
    ...(record.movingTo === undefined ? {} : { movingTo: record.movingTo }),
  }
}

/** @throws {VplaneError} `FAILED` when the record is damaged or of a newer format. */
export function parsePlaneRecord(text: string, source: string): PlaneRecord {
  const value = parseStored(text, { source, formatVersion: FORMAT_VERSION })
  if (!isPlaneRecord(value)) {
    throw damaged({ source })
  }
  return value
}

const RECORD_FIELDS: FieldTypes = {
  formatVersion: 'number',
  writtenBy: 'string',
  id: 'string',
  name: 'string',
  createdAt: 'string',
  desired: 'string',
  hasKeys: 'boolean',
  isComplete: 'boolean',
  hasData: 'boolean',
  createdNamespace: 'boolean',
  userSpec: 'object',
  spec: 'object',
}
const SPEC_FIELDS: FieldTypes = {
  version: 'string',
  etcdVersion: 'string',
  ephemeral: 'boolean',
  pki: 'object',
  host: 'object',
  etcd: 'object',
  apiServer: 'object',
  controllerManager: 'object',
}
function isPlaneRecord(value: unknown): value is PlaneRecord {
  return (
    hasFields(value, RECORD_FIELDS) &&
    hasFields(fieldAt(value, 'spec'), SPEC_FIELDS) &&
    ['running', 'paused', 'kept'].includes(String(fieldAt(value, 'desired'))) &&
    isDate(fieldAt(value, 'createdAt')) &&
    isDate(fieldAt(value, 'certificatesExpireAt') ?? fieldAt(value, 'createdAt')) &&
    isDate(fieldAt(value, 'idleSince') ?? fieldAt(value, 'createdAt')) &&
    hasOptional(value, 'string', ['certificateAuthority', 'certificatesExpireAt', 'madeBy']) &&
    hasOptional(value, 'boolean', ['hostGivesIds', 'sharesNamespace']) &&
    hasOptional(value, 'number', ['etcdMembers', 'joining', 'revisionFloor']) &&
    hasFields(fieldAt(value, 'previousSpec') ?? fieldAt(value, 'spec'), SPEC_FIELDS) &&
    isOverlay(fieldAt(value, 'templates')) &&
    isArrayOf('string', fieldAt(value, 'collections') ?? []) &&
    isArrayOf('string', fieldAt(value, 'serverAddresses') ?? []) &&
    isArrayOf('number', fieldAt(value, 'absent') ?? []) &&
    isArrayOf('number', fieldAt(value, 'regaining') ?? []) &&
    isRestoring(fieldAt(value, 'restoring')) &&
    isRestoredPods(fieldAt(value, 'restoredPods')) &&
    (fieldAt(value, 'movingTo') === undefined || isPlaneMove(fieldAt(value, 'movingTo'))) &&
    isJournal(fieldAt(value, 'journal'))
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

function hasOptional(value: unknown, type: string, names: readonly string[]): boolean {
  return names.every((name) => [type, 'undefined'].includes(typeof fieldAt(value, name)))
}

function isRestoredPods(value: unknown): boolean {
  return value === undefined || hasFields(value, { made: 'string', like: 'string' })
}

function isRestoring(value: unknown): boolean {
  const isValid =
    hasFields(value, { former: 'string' }) && hasOptional(value, 'string', ['movingFrom', 'sha256'])
  return value === undefined || isValid
}

function isJournal(value: unknown): boolean {
  const fields: FieldTypes = { operation: 'string', step: 'string', at: 'string', holder: 'string' }
  return value === undefined || hasFields(value, fields)
}

function isDate(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}
