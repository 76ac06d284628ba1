import { VplaneError } from '../../../shared/errors.ts'
import type { Driver } from '../../driver/driver.ts'
import type { SnapshotSource } from '../../driver/snapshot.ts'

/** @throws {VplaneError} `UNSUPPORTED` for a logical snapshot and a plane of a host cluster, whose pods load only etcd's own. */
export function refuseOnHost(
  { format, what }: Pick<SnapshotSource, 'format' | 'what'>,
  { name }: Pick<Driver, 'name'>,
): void {
  if (name === 'kubernetes' && format === 'logical') {
    const message = `${what} is logical, and can only be restored to a plane of this machine`
    throw new VplaneError('UNSUPPORTED', message, {
      hints: [
        'restore it to a plane of this machine with the store etcd, and move that plane to the host cluster',
      ],
    })
  }
}
