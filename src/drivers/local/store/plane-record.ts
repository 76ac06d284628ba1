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

/** The format that this vplane writes. It reads all older formats. */
const FORMAT_VERSION = 1

const PORTS = ['etcdClient', 'etcdPeer', 'apiServer', 'controllerManager'] as const

export type Ports = Record<(typeof PORTS)[number], number>

export interface Owner {
  processId: number
  /** Distinguishes it from a later process with the same id. */
  startTime: string
}

/** The content of `plane.json`. */
export interface PlaneRecord {
  formatVersion: number
  writtenBy: string
  /** The vplane whose flags its components have. @default writtenBy */
  madeBy?: string
  id: string
  name: string
  createdAt: string
  desired: 'running' | 'paused'
  /** The keeper paused it, as nobody had used it since then. */
  idleSince?: string
  /** Whether etcd has stored data: then an empty data folder is a loss. */
  hasData: boolean
  /** Whether certificates and keys are complete. Before that, everything may be created again. */
  isBootstrapped: boolean
  userSpec: UserSpec
  spec: PlaneSpec
  ports: Ports
  /** The boot of the machine in which the plane was created. An ephemeral plane does not outlive it. */
  bootId: string
  binDir?: string
  owner?: Owner
  /** Of a restored plane: revisions of the next restore start above it. */
  revisionFloor?: number
  /** An unfinished restore: the folder of the plane's former data, and whether it is retained. */
  restoring?: {
    former: string
    keepFormer: boolean
    /** The id of the plane that is being moved here. */
    movingFrom?: string
  }
  /** The plane is fenced while it is moved, and afterwards. */
  movingTo?: PlaneMove
}

/** Undefined if missing. @throws {VplaneError} `FAILED` when unreadable, or of a newer vplane. */
export async function readPlaneRecord(path: string): Promise<PlaneRecord | undefined> {
  const text = readTextFile(path)
  if (text === undefined) {
    return undefined
  }
  const record = parsePlaneRecord(text, path)
  const folder = basename(dirname(path))
  if (record.name !== folder) {
    // A copied folder: changes to it must not affect the plane that it was copied from.
    throw new VplaneError('FAILED', `${path} is of a plane named "${record.name}", not "${folder}"`)
  }
  return record
}

/** Replaces the record at `path` in one step, with this vplane's version. */
export async function writePlaneRecord(path: string, record: PlaneRecord): Promise<PlaneRecord> {
  const { madeBy: _, ...rest } = record
  const stamped = { ...rest, ...stampOf(record, FORMAT_VERSION) }
  await writeFile(path, `${JSON.stringify(stamped, null, 2)}\n`)
  return stamped
}

/** The domain's view of a record. */
export function toPlane(record: PlaneRecord): Plane {
  const { restoring } = record
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
    ...(restoring === undefined ? {} : { isHalfRestored: true }),
    ...(restoring?.movingFrom === undefined ? {} : { movingFrom: restoring.movingFrom }),
    ...(record.movingTo === undefined ? {} : { movingTo: record.movingTo }),
    ...(record.binDir === undefined ? {} : { binDir: record.binDir }),
  }
}

/** The same record for a plane that is to run. */
export function toRunning({ idleSince: _former, ...record }: PlaneRecord): PlaneRecord {
  return { ...record, desired: 'running' }
}

/** @throws {VplaneError} `FAILED` when it is damaged or has a newer format. */
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
