import type { InstalledOperator } from '../../../control-plane/declared/operators.ts'
import { holderOf } from '../../../kube/lease/lease-object.ts'
import { numberAt, recordsAt, textAt } from '../../../shared/json-fields.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { HostApi } from '../host/host-api.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import { OPERATOR, OPERATOR_SELECTOR } from './operator-objects.ts'

/** The operator in a namespace; undefined when there is none. */
export async function readOperator(
  api: Pick<HostApi, 'get'>,
  namespace: string,
  signal: AbortSignal,
): Promise<InstalledOperator | undefined> {
  const place = { name: OPERATOR, namespace }
  const [deployment, lease] = await Promise.all([
    api.get(objectPath('deployments', place), { signal }),
    api.get(objectPath('leases', place), { signal }),
  ])
  if (deployment === undefined) {
    return undefined
  }
  const pod = ['spec', 'template', 'spec'] as const
  const [container] = recordsAt(deployment, ...pod, 'containers')
  const helmRelease = deployment.metadata.annotations?.['meta.helm.sh/release-name']
  const [leader] = lease === undefined ? [] : (holderOf(lease) ?? '').split('_')
  return {
    namespace,
    scope: scopeOf(deployment),
    replicas: numberAt(deployment, 'spec', 'replicas') ?? 1,
    readyReplicas: numberAt(deployment, 'status', 'readyReplicas') ?? 0,
    image: textAt(container, 'image'),
    pullSecrets: recordsAt(deployment, ...pod, 'imagePullSecrets').flatMap(
      (secret) => textAt(secret, 'name') ?? [],
    ),
    version: deployment.metadata.annotations?.['vplane.dev/version'] ?? '',
    ...(leader === undefined || leader === '' ? {} : { leader }),
    ...(helmRelease === undefined ? {} : { helmRelease }),
  }
}

/** Whether an operator creates planes in a namespace; undefined when the user may not see operators. */
export async function isWatched(
  api: Pick<HostApi, 'list'>,
  namespace: string,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const found = await listOperators(api, signal)
  return found?.some(
    (operator) => operator.metadata.namespace === namespace || scopeOf(operator) === 'cluster',
  )
}

/** The Deployments of all operators; undefined when the user may not see those of all namespaces. */
export async function listOperators(
  api: Pick<HostApi, 'list'>,
  signal: AbortSignal,
): Promise<KubeObject[] | undefined> {
  const path = collectionPath('deployments')
  const found = await unlessRefused(api.list(path, { labelSelector: OPERATOR_SELECTOR, signal }))
  return found?.items
}

/** Where the operator of a Deployment creates planes. */
export function scopeOf(deployment: KubeObject): InstalledOperator['scope'] {
  const [container] = recordsAt(deployment, 'spec', 'template', 'spec', 'containers')
  const watched = recordsAt(container, 'env').find(({ name }) => name === 'VPLANE_NAMESPACE')
  return (textAt(watched, 'value') ?? '') === '' ? 'cluster' : 'namespace'
}
