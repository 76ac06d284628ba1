import type { PlacedName } from '../../drivers/kubernetes/context/object-names.ts'
import { type Board, statusBoard } from '../../keeper/duties/status-board.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import type { KeeperStatus } from '../../manifests/keeper-status.ts'
import { objectLabels, objectName } from '../../manifests/object-names.ts'
import { isVplaneError } from '../../shared/errors.ts'
import { collectionPath } from '../../shared/kube/collections.ts'

/** The status ConfigMap, which a plane without a keeper gets when there is something to show. */
export function createdBoard<Part extends keyof KeeperStatus>(
  host: KubeClient,
  part: Part,
  { name, namespace }: PlacedName,
): Board<KeeperStatus[Part]> {
  const place = { name: objectName(name, 'keeper-status'), namespace }
  const board = statusBoard(host, part, place)
  return {
    read: board.read,
    write: async (status, signal) => {
      try {
        await board.write(status, signal)
      } catch (error) {
        if (!isVplaneError(error, 'NOT_FOUND')) {
          throw error
        }
        const metadata = { ...place, labels: objectLabels(name, 'keeper') }
        const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata }
        await host.create(collectionPath('configmaps', namespace), object, { signal })
        await board.write(status, signal)
      }
    },
  }
}
