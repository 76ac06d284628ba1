import { VplaneError } from '../../../shared/errors.ts'
import { encryptionKeyHashes } from '../../components/encryption-configuration.ts'
import type { Plane } from '../../plane/plane.ts'
import type { SnapshotSource } from '../../driver/snapshot.ts'

type Source = Pick<SnapshotSource, 'encryptionKeys' | 'plane' | 'what'>

/** Tells whether a snapshot is of another plane than the one that it is to be put into, as far as it says. */
function isOfOther({ plane: of }: Source, { id, name }: Pick<Plane, 'id' | 'name'>): boolean {
  return of !== undefined && (of.id === undefined ? of.name !== name : of.id !== id)
}

/** What a person should know before another plane's data takes the place of this one's; none when it is its own. */
export function foreignLines(source: Source, plane: Pick<Plane, 'id' | 'name'>): string[] {
  return isOfOther(source, plane)
    ? [`It is of another plane: ${source.what} was taken of one called "${source.plane?.name}".`]
    : []
}

/**
 * Refuses data whose Secrets the plane could not read, unless that is wanted.
 *
 * @param options.keys the keys that the plane has, by the names of their files
 * @throws {VplaneError} `USAGE` that says why they cannot be read.
 */
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
    : 'it was taken before a rotation of the key of Secrets was complete'
  throw new VplaneError(
    'USAGE',
    `"${plane.name}" could not read Secrets in ${source.what}: ${why}`,
    {
      hints: [
        {
          purpose: 'a bundle brings its key with it',
          action: 'restore',
          from: 'BUNDLE',
          name: 'NAME',
        },
        { purpose: 'or delete what cannot be read in etcd afterwards', withoutSecrets: true },
      ],
    },
  )
}
