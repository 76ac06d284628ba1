import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { OperatorSettings } from '../../../control-plane/declared/operators.ts'
import { objectPathOf } from '../../../manifests/manifest.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import { unlessStatus } from '../../../kube/kube-error.ts'
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

/** Deletes everything of an operator but its namespace and the CRDs. NestedControlPlanes can be deleted without it then. */
export async function removeOperator(
  api: Pick<HostApi, 'delete' | 'list' | 'patch'>,
  settings: OperatorSettings,
  { signal, ui }: Operation,
): Promise<void> {
  ui.step('Removing the operator')
  const { namespace, scope } = settings
  if (scope === 'cluster') {
    await freeNested(api, signal)
  }
  const objects = operatorObjects(settings).map((object) => objectPathOf(object))
  const lease = objectPath('leases', { name: OPERATOR, namespace })
  await Promise.all([...objects, lease].map((path) => api.delete(path, { signal })))
}

async function freeNested(
  api: Pick<HostApi, 'list' | 'patch'>,
  signal: AbortSignal,
): Promise<void> {
  const path = collectionPath('nestedcontrolplanes')
  const found = await unlessStatus([404], api.list(path, { signal }))
  for (const { metadata } of found?.items ?? []) {
    const patch = { metadata: { uid: metadata.uid, finalizers: null } }
    const own = objectPath('nestedcontrolplanes', metadata)
    await unlessStatus([404, 409], api.patch(own, patch, { type: 'merge', signal }))
  }
}
