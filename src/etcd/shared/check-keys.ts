import { isVplaneError, VplaneError } from '../../shared/errors.ts'
import type { Hint } from '../../shared/hint.ts'
import { rangeOverGrpc } from '../data/range-over-grpc.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { hasKeys } from './has-keys.ts'

/** From the first possible key to the last one. */
const EVERYTHING = { from: Buffer.of(0), to: Buffer.of(0) }

interface Asked {
  prefix: string
  signal: AbortSignal
}

/** A new plane does not take the keys of another. @throws {VplaneError} `CONFLICT` if keys exist below the prefix. */
export async function refuseTaken(connection: EtcdConnection, asked: Asked): Promise<void> {
  if (await hasKeys(connection, asked)) {
    throw new VplaneError('CONFLICT', `${connection.what} has keys below ${asked.prefix}`, {
      hints: ['choose another prefix, or delete these keys'],
    })
  }
}

/** An empty prefix does not become an empty plane. @throws {VplaneError} `FAILED` if the plane has no keys. */
export async function refuseMissing(
  plane: { name: string; namespace?: string },
  connection: EtcdConnection,
  asked: Asked,
): Promise<void> {
  if (!(await hasKeys(connection, asked))) {
    const place = `${connection.what} has no keys below ${asked.prefix}`
    throw new VplaneError('FAILED', `the data of "${plane.name}" is missing: ${place}`, {
      hints: [
        'restore the etcd from a backup',
        ...(plane.namespace === undefined ? [restoreSnapshot(plane)] : []),
        { purpose: 'or delete the plane', action: 'delete', plane },
      ],
    })
  }
}

function restoreSnapshot(plane: { name: string }): Hint {
  const purpose = 'or restore a snapshot'
  return { purpose, action: 'restore', plane, from: 'SNAPSHOT', force: true }
}

/**
 * Without users, or with too many permissions, each plane could read and change the data of every other.
 * @throws {VplaneError} `FAILED` if the user of a plane cannot read its own keys, or can read all keys.
 */
export async function refuseOpen(
  connection: EtcdConnection,
  { prefix, signal }: Asked,
): Promise<void> {
  await hasKeys(connection, { prefix, signal })
  const range = { ...EVERYTHING, limit: 1, keysOnly: true }
  const isOpen = await rangeOverGrpc(connection, { ...range, signal }).then(
    () => true,
    (error: unknown) => {
      if (isVplaneError(error, 'FAILED')) {
        return false
      }
      throw error
    },
  )
  if (isOpen) {
    const message = `${connection.what} lets the certificate of a plane read all keys`
    throw new VplaneError('FAILED', message, {
      hints: [
        'enable its authentication: etcdctl auth enable',
        'and give the user only its prefix',
      ],
    })
  }
}
