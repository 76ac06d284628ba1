import type { EtcdUser } from '../../control-plane/store/etcd-user.ts'
import { VplaneError } from '../../shared/errors.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { protobufMessage } from '../protobuf.ts'
import { askOnce } from '../ask-once.ts'
import { COMPACT_KEY } from './compact-etcd.ts'
import { prefixRange } from '../data/prefix-range.ts'

/** The fields of the requests of `etcdserverpb.Auth`, of `authpb.UserAddOptions` and `authpb.Permission`. */
const NAME = 1
const OTHER_NAME = 2
const OPTIONS = 3
const NO_PASSWORD = 1
const PERMISSION = { type: 1, key: 2, rangeEnd: 3 } as const
const READ_WRITE = 2

/**
 * Makes a user that only a certificate with its name opens, and a role: it may read and write the keys of the plane, and
 * read which revision was compacted. What exists stays.
 * @throws {VplaneError} as `callEtcd` does.
 */
export async function ensureUser(
  connection: EtcdConnection,
  { prefix, user }: Required<EtcdUser>,
  signal: AbortSignal,
): Promise<void> {
  const call = caller(connection, signal)
  const name = Buffer.from(user)
  await call('RoleAdd', [[NAME, name]], 'role name already exists')
  const { from, to } = prefixRange(prefix)
  const permissions = [
    protobufMessage([
      [PERMISSION.type, READ_WRITE],
      [PERMISSION.key, from],
      [PERMISSION.rangeEnd, to],
    ]),
    // `READ` is zero.
    protobufMessage([[PERMISSION.key, COMPACT_KEY]]),
  ]
  for (const permission of permissions) {
    await call('RoleGrantPermission', [
      [NAME, name],
      [OTHER_NAME, permission],
    ])
  }
  const options = protobufMessage([[NO_PASSWORD, 1]])
  const added = [
    [NAME, name],
    [OPTIONS, options],
  ] as const
  await call('UserAdd', added, 'user name already exists')
  await call('UserGrantRole', [
    [NAME, name],
    [OTHER_NAME, name],
  ])
}

/** Deletes a user and its role, as far as they exist. @throws {VplaneError} as `callEtcd` does. */
export async function deleteUser(
  connection: EtcdConnection,
  user: string,
  signal: AbortSignal,
): Promise<void> {
  const call = caller(connection, signal)
  const name = Buffer.from(user)
  await call('UserDelete', [[NAME, name]], 'user name not found')
  await call('RoleDelete', [[NAME, name]], 'role name not found')
}

/** `unless` is etcd's message when the work is done already. */
function caller(connection: EtcdConnection, signal: AbortSignal) {
  return async (
    procedure: string,
    fields: ReadonlyArray<readonly [number, Buffer]>,
    unless?: string,
  ): Promise<void> => {
    const path = `/etcdserverpb.Auth/${procedure}`
    const body = protobufMessage(fields)
    await askOnce(connection, { path, body, signal }).catch((error: unknown) => {
      const isDone =
        unless !== undefined && error instanceof VplaneError && error.message.endsWith(unless)
      if (!isDone) {
        throw error
      }
    })
  }
}
