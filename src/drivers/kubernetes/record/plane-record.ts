import type { Plane, PlaneMove } from '../../../control-plane/plane/plane.ts'
import { isPlaneMove } from '../../../control-plane/driver/plane-moves.ts'
import type { PlaneSpec, UserSpec } from '../../../control-plane/spec/spec.ts'
import type { TemplateOverlay } from '../../../manifests/templates/load-templates.ts'
import { damaged, type FieldTypes, hasFields, parseStored } from '../../../shared/stored-format.ts'
import { fieldAt } from '../../../shared/json-fields.ts'

/** The format this vplane writes; readers take all older ones. */
export const FORMAT_VERSION = 1

/** How far an operation on a plane has come. */
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
  /** What was about to be done, in words: `applying Secrets`. */
  step: string
  at: string
  /** Who does it: the holder of the plane's Lease. */
  holder: string
}

/** What is recorded of a restore until it is done. */
export interface RestoringPlane {
  /** Folder of the volumes for the data that the plane had before. */
  former: string
  /** Of the snapshot, hexadecimal. */
  sha256?: string
  /** Id of the plane elsewhere that is being moved here. */
  movingFrom?: string
}

/** What the Secret `vplane-<name>-record` holds. */
export interface PlaneRecord {
  formatVersion: number
  writtenBy: string
  /** The vplane by whose templates its objects are, when that is another one. @default writtenBy */
  madeBy?: string
  id: string
  name: string
  createdAt: string
  /** `kept`: it was deleted, its data was not; nothing of it runs. */
  desired: 'running' | 'paused' | 'kept'
  /** It paused itself, as nobody had used it since then. */
  idleSince?: string | undefined
  /** True once all of its keys and certificates are stored in Secrets: until then all may be made again. */
  hasKeys: boolean
  /** True once all of its objects were applied: until then its making goes on with every start. */
  isComplete: boolean
  /** True once every member of etcd has stored something: from then on an empty volume is a loss. */
  hasData: boolean
  /** vplane made the namespace, so it goes with the plane. */
  createdNamespace: boolean
  /** It may be there beside others, though a syncer reads every Secret of its namespace. @default false */
  sharesNamespace?: boolean
  userSpec: UserSpec
  spec: PlaneSpec
  /** While it changes: how many members etcd has. @default as many as the spec says */
  etcdMembers?: number | undefined
  /** While it gets a member: the ordinal of the one that is to take the data of the others. */
  joining?: number | undefined
  /** Meanwhile: the ordinals of those that etcd does not have, as they come after it. */
  absent?: number[] | undefined
  /**
   * While an etcd that had lost its majority becomes a new one: the ordinals of its members that came back without data to
   * give it a majority. Others may not join them: they could outvote those who have data.
   */
  regaining?: number[] | undefined
  /** While it changes: what it was made by before. */
  previousSpec?: PlaneSpec | undefined
  /** What replaces or adds to vplane's templates. */
  templates?: TemplateOverlay
  /** CA bundle of its API, PEM; since it has certificates. */
  certificateAuthority?: string
  /** When the first of its certificates ends. */
  certificatesExpireAt?: string
  /** The host decides on the user and group ids of pods itself. */
  hostGivesIds?: boolean
  /** Paths of the collections that its objects are in, those of templates of its own included. */
  collections?: string[]
  /** Addresses that its API's certificate is valid for, beside those that every plane has. */
  serverAddresses?: string[]
  /** Of a plane that was restored: revisions of the next restore begin above it. */
  revisionFloor?: number | undefined
  /** Since a restore: which pods of etcd need no replacement for it. */
  restoredPods?: RestoredPods | undefined
  /** A restore that is not done yet. */
  restoring?: RestoringPlane | undefined
  /** It is fenced, to be moved or since it was. */
  movingTo?: PlaneMove | undefined
  /** What is being done to it, or was when it was cut off. */
  journal?: JournalEntry
}

/**
 * Revisions of the StatefulSet of etcd: pods of `made` differ from those of `like` by how they got their data alone, which
 * is done.
 */
export interface RestoredPods {
  made: string
  like: string
}

/** Where a record is. */
export interface RecordPlace {
  namespace: string
  hostContext: string
}

/** The domain's view of a record; of one whose plane is gone it is what may be made again. */
export function toPlane(record: PlaneRecord, { hostContext, namespace }: RecordPlace): Plane {
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

/**
 * Reads the text of a record; `source` names where it is from.
 *
 * @throws {VplaneError} `FAILED` when it is damaged or of a newer format.
 */
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
const OPTIONAL = ['certificateAuthority', 'certificatesExpireAt', 'madeBy']
const COUNTS = ['etcdMembers', 'joining', 'revisionFloor']
const FLAGS = ['hostGivesIds', 'sharesNamespace']

function isPlaneRecord(value: unknown): value is PlaneRecord {
  return (
    hasFields(value, RECORD_FIELDS) &&
    hasFields(fieldAt(value, 'spec'), SPEC_FIELDS) &&
    ['running', 'paused', 'kept'].includes(String(fieldAt(value, 'desired'))) &&
    isDate(fieldAt(value, 'createdAt')) &&
    isDate(fieldAt(value, 'certificatesExpireAt') ?? fieldAt(value, 'createdAt')) &&
    isDate(fieldAt(value, 'idleSince') ?? fieldAt(value, 'createdAt')) &&
    OPTIONAL.every((name) => ['string', 'undefined'].includes(typeof fieldAt(value, name))) &&
    FLAGS.every((name) => ['boolean', 'undefined'].includes(typeof fieldAt(value, name))) &&
    COUNTS.every((name) => ['number', 'undefined'].includes(typeof fieldAt(value, name))) &&
    hasFields(fieldAt(value, 'previousSpec') ?? fieldAt(value, 'spec'), SPEC_FIELDS) &&
    isOverlay(fieldAt(value, 'templates')) &&
    isTexts(fieldAt(value, 'collections') ?? []) &&
    isTexts(fieldAt(value, 'serverAddresses') ?? []) &&
    isNumbers(fieldAt(value, 'absent') ?? []) &&
    isNumbers(fieldAt(value, 'regaining') ?? []) &&
    isRestoring(fieldAt(value, 'restoring')) &&
    isRestoredPods(fieldAt(value, 'restoredPods')) &&
    (fieldAt(value, 'movingTo') === undefined || isPlaneMove(fieldAt(value, 'movingTo'))) &&
    isJournal(fieldAt(value, 'journal'))
  )
}

function isOverlay(value: unknown): boolean {
  const files = fieldAt(value, 'files')
  const isOverlaid =
    hasFields(value, { folder: 'string', files: 'object' }) && isTexts(Object.values(Object(files)))
  return value === undefined || isOverlaid
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function isNumbers(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'number')
}

function isRestoredPods(value: unknown): boolean {
  return value === undefined || hasFields(value, { made: 'string', like: 'string' })
}

function isRestoring(value: unknown): boolean {
  return (
    value === undefined ||
    (hasFields(value, { former: 'string' }) &&
      ['movingFrom', 'sha256'].every((name) =>
        ['string', 'undefined'].includes(typeof fieldAt(value, name)),
      ))
  )
}

function isJournal(value: unknown): boolean {
  const fields: FieldTypes = { operation: 'string', step: 'string', at: 'string', holder: 'string' }
  return value === undefined || hasFields(value, fields)
}

function isDate(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}
