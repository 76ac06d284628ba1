import type { InstalledOperator } from '../../../control-plane/declared/operators.ts'
import { holderOf } from '../../../kube/lease/lease-object.ts'
import { numberAt, recordsAt, textAt } from '../../../shared/json-fields.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { HostApi } from '../host/host-api.ts'
import { OPERATOR } from './operator-objects.ts'

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

/** Where the operator of a Deployment makes planes. */
export function scopeOf(deployment: KubeObject): InstalledOperator['scope'] {
  const [container] = recordsAt(deployment, 'spec', 'template', 'spec', 'containers')
  const watched = recordsAt(container, 'env').find(({ name }) => name === 'VPLANE_NAMESPACE')
  return (textAt(watched, 'value') ?? '') === '' ? 'cluster' : 'namespace'
}
