import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Plane } from '../../../control-plane/plane.ts'
import type { PlaneSpec, UserSpec } from '../../../control-plane/spec.ts'
import { hasErrorCode, messageOf, VplaneError } from '../../../shared/errors.ts'
import { packageVersion } from '../../../shared/package-root.ts'
import {
  damaged,
  fieldOf,
  type FieldTypes,
  hasFields,
  parseStored,
} from '../../../shared/stored-format.ts'
import { writeFile } from '../../../shared/write-file.ts'

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
  id: string
  name: string
  createdAt: string
  desired: 'running' | 'paused'
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
}

/**
 * The record at `path`; undefined when there is none.
 *
 * @throws {VplaneError} `FAILED` when it cannot be read or a newer vplane wrote it.
 */
export async function readPlaneRecord(path: string): Promise<PlaneRecord | undefined> {
  let text: string
  try {
    // A list reads dozens of these, and small files are read faster than promised.
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) {
      return undefined
    }
    throw new VplaneError('FAILED', `cannot read ${path}: ${messageOf(error)}`, { cause: error })
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
  const stamped = { ...record, formatVersion: FORMAT_VERSION, writtenBy: packageVersion() }
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
    userSpec: record.userSpec,
    spec: record.spec,
    desired: record.desired,
    ...(record.binDir === undefined ? {} : { binDir: record.binDir }),
  }
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
    hasFields(fieldOf(value, 'spec'), SPEC_FIELDS) &&
    PORTS.every((name) => isPort(fieldOf(fieldOf(value, 'ports'), name))) &&
    ['running', 'paused'].includes(String(fieldOf(value, 'desired'))) &&
    !Number.isNaN(Date.parse(String(fieldOf(value, 'createdAt')))) &&
    isOwner(fieldOf(value, 'owner')) &&
    ['string', 'undefined'].includes(typeof fieldOf(value, 'binDir'))
  )
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536
}

function isOwner(value: unknown): boolean {
  return value === undefined || hasFields(value, { processId: 'number', startTime: 'string' })
}
