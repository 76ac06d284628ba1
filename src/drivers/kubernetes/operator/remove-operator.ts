import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { OperatorSettings } from '../../../control-plane/declared/operators.ts'
import { objectPathOf } from '../../../manifests/manifest.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import { waitFor } from '../../../shared/wait.ts'
import type { HostApi } from '../host/host-api.ts'
import { OPERATOR, operatorObjects, OPERATOR_SELECTOR } from './operator-objects.ts'

/** How long the pods of an operator may take to end, in milliseconds. */
const STOP_MS = 60_000

/** Ends the pods of an operator, and waits until they have ended. */
export async function stopOperator(
  api: Pick<HostApi, 'list' | 'patch'>,
  { namespace }: Pick<OperatorSettings, 'namespace'>,
  { signal, timeoutMs = STOP_MS, ui }: Operation,
): Promise<void> {
  ui.step('Stopping the operator')
  const deployment = objectPath('deployments', { name: OPERATOR, namespace })
  await api.patch(deployment, { spec: { replicas: 0 } }, { type: 'merge', signal })
  const path = collectionPath('pods', namespace)
  await waitFor(
    async (either) => {
      const { items } = await api.list(path, { labelSelector: OPERATOR_SELECTOR, signal: either })
      return items.length === 0
    },
    { what: 'the end of the operator', timeoutMs, signal },
  )
}

/** Deletes everything of an operator but its namespace and the CRDs. */
export async function removeOperator(
  api: Pick<HostApi, 'delete'>,
  settings: OperatorSettings,
  { signal, ui }: Operation,
): Promise<void> {
  ui.step('Removing the operator')
  const { namespace } = settings
  const objects = operatorObjects(settings).map((object) => objectPathOf(object))
  const lease = objectPath('leases', { name: OPERATOR, namespace })
  await Promise.all([...objects, lease].map((path) => api.delete(path, { signal })))
}
