import { randomBytes } from 'node:crypto'
import { newEtcdUser } from '../../control-plane/store/etcd-user.ts'
import type {
  EtcdClientFiles,
  EtcdRootFiles,
  SharedEtcdSpec,
} from '../../control-plane/store/store.ts'
import { VplaneError } from '../../shared/errors.ts'
import { arrayAt, fieldAt } from '../../shared/json-fields.ts'
import { hasFields, hasOptional, parseStored, stampOf } from '../../shared/stored-format.ts'

const FORMAT_VERSION = 1

const CREDENTIALS = { certificateFile: 'string', keyFile: 'string' } as const
const ROOT = { ...CREDENTIALS, clientCaFile: 'string', clientCaKeyFile: 'string' } as const
const CLIENT = { ...CREDENTIALS, prefix: 'string' } as const

/** A shared etcd, and the credentials in files of this machine. */
export interface SharedEtcdFiles extends SharedEtcdSpec {
  caFile: string
  root?: EtcdRootFiles
  client?: EtcdClientFiles & { prefix: string }
}

/** What a plane has in a shared etcd, as it is stored in its folder. */
export interface SharedEtcd extends SharedEtcdFiles {
  /** Its keys are below. */
  prefix: string
  /** The user and the role that vplane makes. @default the owner has made them */
  user?: string
}

/**
 * A new user and a new prefix for a plane, that no other plane has, also of another machine; or those of the owner.
 * @throws {VplaneError} `INVALID_SPEC` when the spec of a plane of this machine lacks a file.
 */
export function newSharedEtcd(name: string, spec: SharedEtcdSpec): SharedEtcd {
  const facts = { ...spec, ...newEtcdUser(name, randomBytes(4).toString('hex'), spec) }
  if (!isSharedEtcd(facts)) {
    throw new VplaneError('INVALID_SPEC', '"store.etcd.shared" lacks files of its credentials')
  }
  return facts
}

/** What `parseSharedEtcd` reads. */
export function formatSharedEtcd(facts: SharedEtcd): string {
  return `${JSON.stringify({ ...stampOf({ writtenBy: '' }, FORMAT_VERSION), ...facts }, null, 2)}\n`
}

/** @throws {VplaneError} `FAILED` when it is damaged or has a newer format. */
export function parseSharedEtcd(text: string, source: string): SharedEtcd {
  const format = { source, formatVersion: FORMAT_VERSION }
  const { caFile, client, endpoints, prefix, root, user } = parseStored(text, format, isSharedEtcd)
  return {
    endpoints,
    caFile,
    prefix,
    ...(user === undefined ? {} : { user }),
    ...(root === undefined ? {} : { root }),
    ...(client === undefined ? {} : { client }),
  }
}

function isSharedEtcd(value: unknown): value is SharedEtcd {
  const [root, client] = [fieldAt(value, 'root'), fieldAt(value, 'client')]
  return (
    hasFields(value, { endpoints: 'object', caFile: 'string', prefix: 'string' }) &&
    arrayAt(value, 'endpoints').every((one) => typeof one === 'string') &&
    hasOptional(value, 'string', ['user']) &&
    (root === undefined ? hasFields(client, CLIENT) : hasFields(root, ROOT))
  )
}
