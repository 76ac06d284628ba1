import { notDeleted } from '../../../control-plane/store/not-deleted.ts'
import { deleteKeys } from '../../../etcd/shared/delete-keys.ts'
import { deleteUser } from '../../../etcd/shared/etcd-users.ts'
import { hasKeys } from '../../../etcd/shared/has-keys.ts'
import type { SharedEtcd } from '../../../etcd/shared/shared-etcd.ts'
import { connectAsOwner } from '../components/plane-etcd-access.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'

/** What a deletion does in a shared etcd. */
export interface SharedEtcdRemoval {
  drop: () => Promise<void>
}

/**
 * Connects to the shared etcd of a plane, to delete what it has there.
 * @throws {VplaneError} `UNREACHABLE` without the etcd, and `FAILED` if it refuses, both with what to do.
 */
export async function openKeysForRemoval(
  facts: SharedEtcd,
  { folder, name, signal }: { folder: PlaneFolder; name: string; signal: AbortSignal },
): Promise<SharedEtcdRemoval> {
  const refuse = (error: unknown) => {
    throw notDeleted({ name }, error, 'keys')
  }
  try {
    const connection = await connectAsOwner(facts, folder, signal)
    await hasKeys(connection, { ...facts, signal })
    return {
      drop: async () => {
        await deleteKeys(connection, facts.prefix, signal).catch(refuse)
        if (facts.user !== undefined) {
          await deleteUser(connection, facts.user, signal).catch(refuse)
        }
      },
    }
  } catch (error) {
    return refuse(error)
  }
}
