import type { PlaneApi } from '../../../control-plane/api/plane-api.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import { installCrds } from '../../../control-plane/install/install-crds.ts'
import { MANAGED_BY } from '../../../manifests/object-names.ts'
import { isVplaneError, VplaneError } from '../../../shared/errors.ts'
import { fieldAt, numberAt, recordsAt, textAt } from '../../../shared/json-fields.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { waitFor } from '../../../shared/wait.ts'
import { applyObjects } from '../host/apply-objects.ts'
import type { HostApi } from '../host/host-api.ts'
import { applyObjects as applyPolicies } from '../../../control-plane/install/apply-objects.ts'
import type { OperatorSettings } from '../../../control-plane/declared/operators.ts'
import { OPERATOR, OPERATOR_SELECTOR, operatorObjects } from './operator-objects.ts'
import { listOperators, readOperator, scopeOf } from './read-operator.ts'
import { readSchemas } from './read-schemas.ts'

/** The host cluster of an operator. */
export type OperatorHost = HostApi & PlaneApi

/** How long the operator may take to start, in milliseconds: its image may have to be pulled. */
const START_MS = 300_000

/**
 * Installs an operator, or brings one to this version and these settings, and waits until it runs.
 * @throws {VplaneError} the refusal of the host, `TIMED_OUT` with what its pods wait for, `CONFLICT` when Helm has
 * installed it or another operator creates planes there.
 */
export async function installOperator(
  api: OperatorHost,
  settings: OperatorSettings,
  { signal, timeoutMs = START_MS, ui }: Operation,
): Promise<void> {
  const objects = operatorObjects(settings)
  await refuseHelm(api, settings, signal)
  await refuseSecond(api, settings, signal)
  await ensureNamespace(api, settings.namespace, signal)
  await installCrds({ api, ui }, { objects: readSchemas('crds'), signal, timeoutMs })
  ui.step('Installing what authors of ControlPlanes need rights for')
  await applyPolicies(api, readSchemas('policies'), signal)
  ui.step(`Installing the operator in namespace "${settings.namespace}"`)
  await applyObjects(api, objects, signal)
  ui.step('Waiting for the operator')
  await untilRolledOut(api, settings.namespace, { signal, timeoutMs })
}

/** Helm would undo changes of its objects with the next upgrade. @throws {VplaneError} `CONFLICT` naming the release. */
async function refuseHelm(
  api: HostApi,
  { namespace }: OperatorSettings,
  signal: AbortSignal,
): Promise<void> {
  const { helmRelease } = (await readOperator(api, namespace, signal)) ?? {}
  if (helmRelease !== undefined) {
    throw new VplaneError(
      'CONFLICT',
      `the operator in namespace "${namespace}" is part of the Helm release "${helmRelease}"`,
      { hints: ['change it with helm upgrade'] },
    )
  }
}

/** Two operators would both change the same planes. @throws {VplaneError} `CONFLICT` naming the other one. */
async function refuseSecond(
  api: HostApi,
  { namespace, scope }: OperatorSettings,
  signal: AbortSignal,
): Promise<void> {
  // Who installs one in a namespace may not see those of others.
  const found = await listOperators(api, signal)
  const other = found?.find(
    (deployment) =>
      deployment.metadata.namespace !== namespace &&
      (scope === 'cluster' || scopeOf(deployment) === 'cluster'),
  )
  if (other !== undefined) {
    throw new VplaneError(
      'CONFLICT',
      `namespace "${other.metadata.namespace}" has an operator already: two would change the same planes`,
      { hints: ['give each operator one namespace, or uninstall that one'] },
    )
  }
}

async function ensureNamespace(api: HostApi, name: string, signal: AbortSignal): Promise<void> {
  if ((await api.get(objectPath('namespaces', { name }), { signal })) === undefined) {
    const metadata = { name, labels: { [MANAGED_BY]: 'vplane' } }
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata }
    await api.create(collectionPath('namespaces'), namespace, { signal })
  }
}

async function untilRolledOut(
  api: HostApi,
  namespace: string,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<void> {
  const path = objectPath('deployments', { name: OPERATOR, namespace })
  try {
    await waitFor(async (either) => isRolledOut(await api.get(path, { signal: either })), {
      what: 'the operator',
      timeoutMs,
      signal,
    })
  } catch (error) {
    if (!isVplaneError(error, 'TIMED_OUT')) {
      throw error
    }
    const reasons = await podReasons(api, namespace, signal)
    throw new VplaneError('TIMED_OUT', [error.message, ...reasons].join('\n  '), {
      hints: [`kubectl --namespace ${namespace} describe pods`],
      cause: error,
    })
  }
}

/** Whether all pods are of the current template, and available. */
function isRolledOut(deployment: KubeObject | undefined): boolean {
  const wanted = numberAt(deployment, 'spec', 'replicas')
  const { generation } = deployment?.metadata ?? {}
  return (
    fieldAt(deployment, 'status', 'observedGeneration') === generation &&
    ['replicas', 'updatedReplicas', 'availableReplicas'].every(
      (field) => numberAt(deployment, 'status', field) === wanted,
    )
  )
}

async function podReasons(api: HostApi, namespace: string, signal: AbortSignal): Promise<string[]> {
  const path = collectionPath('pods', namespace)
  const { items } = await api.list(path, { labelSelector: OPERATOR_SELECTOR, signal })
  return items.flatMap((pod) =>
    [
      ...recordsAt(pod, 'status', 'conditions'),
      ...recordsAt(pod, 'status', 'containerStatuses').map((one) =>
        fieldAt(one, 'state', 'waiting'),
      ),
    ].flatMap((found) => {
      const message = textAt(found, 'message')
      return message === undefined ? [] : `pod "${pod.metadata.name}": ${message}`
    }),
  )
}
