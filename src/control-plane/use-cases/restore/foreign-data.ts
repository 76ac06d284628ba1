import { VplaneError } from '../../../shared/errors.ts'
import { encryptionKeyHashes } from '../../components/encryption-configuration.ts'
import type { Plane } from '../../plane/plane.ts'
import type { SnapshotSource } from '../../driver/snapshot.ts'

type Source = Pick<SnapshotSource, 'encryptionKeys' | 'plane' | 'what'>

function isOfOther({ plane: of }: Source, { id, name }: Pick<Plane, 'id' | 'name'>): boolean {
  return of !== undefined && (of.id === undefined ? of.name !== name : of.id !== id)
}

/** A warning if the data of another plane will replace that of this one. */
export function foreignLines(source: Source, plane: Pick<Plane, 'id' | 'name'>): string[] {
  return isOfOther(source, plane)
    ? [`The data is from another plane: ${source.what} was taken from "${source.plane?.name}".`]
    : []
}

/** @throws {VplaneError} `USAGE` when the plane cannot read its Secrets with `keys`, unless the user wants that. */
export function refuseUnreadable(
  source: Source,
  plane: Pick<Plane, 'id' | 'name'>,
  { keys, withoutSecrets }: { keys: Record<string, string>; withoutSecrets: boolean },
): void {
  const { encryptionKeys = [] } = source
  if (encryptionKeys.length === 0 || withoutSecrets) {
    return
  }
  const known = encryptionKeyHashes(keys)
  if (encryptionKeys.every((hash) => known.includes(hash))) {
    return
  }
  const why = isOfOther(source, plane)
    ? 'they are encrypted with a key of another plane'
    : 'it was taken before a rotation of the encryption key was complete'
  const message = `"${plane.name}" could not read Secrets in ${source.what}: ${why}`
  throw new VplaneError('USAGE', message, {
    hints: [
      {
        purpose: 'to restore a bundle, which contains its key',
        action: 'restore',
        from: 'BUNDLE',
        name: 'NAME',
      },
      { purpose: 'or to delete the unreadable Secrets in etcd afterwards', withoutSecrets: true },
    ],
  })
}
