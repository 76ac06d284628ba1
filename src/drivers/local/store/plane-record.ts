import { basename, dirname } from 'node:path'
import type { Plane, PlaneMove } from '../../../control-plane/plane/plane.ts'
import { isPlaneMove } from '../../../control-plane/driver/plane-moves.ts'
import type { PlaneSpec, UserSpec } from '../../../control-plane/spec/spec.ts'
import { VplaneError } from '../../../shared/errors.ts'
import {
  damaged,
  type FieldTypes,
  hasFields,
  parseStored,
  stampOf,
} from '../../../shared/stored-format.ts'
import { writeFile } from '../../../shared/files/write-file.ts'
import { fieldAt } from '../../../shared/json-fields.ts'
import { readTextFile } from '../../../shared/files/read-text-file.ts'

/** The format this vplane writes; readers take all older ones. */
const FORMAT_VERSION = 1

export interface Ports {
  etcdClient: number
  etcdPeer: number
  apiServer: number
  controllerManager: number
}

/** A process that a plane belongs to. */
export interface Owner {
  processId: number
  /** Tells it from a later process with the same id. */
  startTime: string
}

/** What `plane.json` holds. */
export interface PlaneRecord {
  formatVersion: number
  writtenBy: string
  /** The vplane by whose flags it runs, when that is another one. @default writtenBy */
  madeBy?: string
  id: string
  name: string
  createdAt: string
  desired: 'running' | 'paused'
  /** It paused itself, as nobody had used it since then. */
  idleSince?: string
  /** True once etcd has stored something: from then on an empty data folder is a loss. */
  hasData: boolean
  /** False until certificates and keys are complete: until then everything may be made again. */
  isBootstrapped: boolean
  userSpec: UserSpec
  spec: PlaneSpec
  ports: Ports
  /** The boot of the machine in which it was made; an ephemeral plane does not outlive it. */
  bootId: string
  binDir?: string
  owner?: Owner
  /** Of a plane that was restored: revisions of the next restore begin above it. */
  revisionFloor?: number
  /** A restore that is not done yet: the folder for the data that the plane had before, and whether that is to stay. */
  restoring?: {
    former: string
    keepFormer: boolean
    /** Id of the plane elsewhere that is being moved here. */
    movingFrom?: string
  }
  /** It is fenced, to be moved or since it was. */
  movingTo?: PlaneMove
}

/**
 * The record at `path`; undefined when there is none.
 *
 * @throws {VplaneError} `FAILED` when it cannot be read or a newer vplane wrote it.
 */
export async function readPlaneRecord(path: string): Promise<PlaneRecord | undefined> {
  const text = readTextFile(path)
  if (text === undefined) {
    return undefined
  }
  const record = parsePlaneRecord(text, path)
  const folder = basename(dirname(path))
  if (record.name !== folder) {
    // A copied folder: what is done to it must not be done to the plane it was copied from.
    throw new VplaneError('FAILED', `${path} is of a plane named "${record.name}", not "${folder}"`)
  }
  return record
}

/** Replaces the record at `path` in one step, stamped with this vplane's version. */
export async function writePlaneRecord(path: string, record: PlaneRecord): Promise<PlaneRecord> {
  const { madeBy: _, ...rest } = record
  const stamped = { ...rest, ...stampOf(record, FORMAT_VERSION) }
  await writeFile(path, `${JSON.stringify(stamped, null, 2)}\n`)
  return stamped
}

/** The domain's view of a record. */
export function toPlane(record: PlaneRecord): Plane {
  return {
    driver: 'local',
    name: record.name,
    id: record.id,
    createdAt: new Date(record.createdAt),
    writtenBy: record.writtenBy,
    ...(record.madeBy === undefined ? {} : { madeBy: record.madeBy }),
    userSpec: record.userSpec,
    spec: record.spec,
    desired: record.desired,
    ...(record.idleSince === undefined ? {} : { idleSince: new Date(record.idleSince) }),
    ...(record.restoring === undefined ? {} : { isHalfRestored: true }),
    ...(record.restoring?.movingFrom === undefined
      ? {}
      : { movingFrom: record.restoring.movingFrom }),
    ...(record.movingTo === undefined ? {} : { movingTo: record.movingTo }),
    ...(record.binDir === undefined ? {} : { binDir: record.binDir }),
  }
}

/** The record of a plane that is to run from now on. */
export function toRunning({ idleSince: _rested, ...record }: PlaneRecord): PlaneRecord {
  return { ...record, desired: 'running' }
}

/**
 * Reads the text of a record.
 *
 * @throws {VplaneError} `FAILED` when it is damaged or of a newer format.
 */
export function parsePlaneRecord(text: string, path: string): PlaneRecord {
  const value = parseStored(text, { source: path, formatVersion: FORMAT_VERSION })
  if (!isPlaneRecord(value)) {
    throw damaged({ source: path })
  }
  return value
}

const RECORD_FIELDS: FieldTypes = {
  formatVersion: 'number',
  id: 'string',
  name: 'string',
  createdAt: 'string',
  desired: 'string',
  isBootstrapped: 'boolean',
  hasData: 'boolean',
  userSpec: 'object',
  spec: 'object',
  ports: 'object',
  bootId: 'string',
}
const SPEC_FIELDS: FieldTypes = {
  version: 'string',
  etcdVersion: 'string',
  ephemeral: 'boolean',
  pki: 'object',
  authentication: 'object',
  featureGates: 'object',
  etcd: 'object',
  apiServer: 'object',
  controllerManager: 'object',
}
const PORTS = ['etcdClient', 'etcdPeer', 'apiServer', 'controllerManager']

function isPlaneRecord(value: unknown): value is PlaneRecord {
  return (
    hasFields(value, RECORD_FIELDS) &&
    hasFields(fieldAt(value, 'spec'), SPEC_FIELDS) &&
    PORTS.every((name) => isPort(fieldAt(value, 'ports', name))) &&
    ['running', 'paused'].includes(String(fieldAt(value, 'desired'))) &&
    !Number.isNaN(Date.parse(String(fieldAt(value, 'createdAt')))) &&
    !Number.isNaN(Date.parse(String(fieldAt(value, 'idleSince') ?? fieldAt(value, 'createdAt')))) &&
    isOwner(fieldAt(value, 'owner')) &&
    isRestoring(fieldAt(value, 'restoring')) &&
    ['number', 'undefined'].includes(typeof fieldAt(value, 'revisionFloor')) &&
    (fieldAt(value, 'movingTo') === undefined || isPlaneMove(fieldAt(value, 'movingTo'))) &&
    ['binDir', 'madeBy'].every((name) =>
      ['string', 'undefined'].includes(typeof fieldAt(value, name)),
    )
  )
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536
}

function isRestoring(value: unknown): boolean {
  return (
    value === undefined ||
    (hasFields(value, { former: 'string', keepFormer: 'boolean' }) &&
      ['string', 'undefined'].includes(typeof fieldAt(value, 'movingFrom')))
  )
}

function isOwner(value: unknown): boolean {
  return value === undefined || hasFields(value, { processId: 'number', startTime: 'string' })
}
