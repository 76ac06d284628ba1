import { omitUndefined } from '../../shared/omit-undefined.ts'
import { fieldAt, type Json, recordAt, textAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { OWNER_ANNOTATION, ownerLabels, placeOf } from './nested-control-plane.ts'
import type { NestedParts } from './nested-parts.ts'

/** The Secrets with the kubeconfigs of a nested control plane in its namespace. */
export const KUBECONFIGS = { controllers: 'controllers-kubeconfig', user: 'user-kubeconfig' }

/** Declares the plane of a NestedControlPlane by its parts, and by the fields of a ControlPlane in its template. */
export function toControlPlane(
  resource: KubeObject,
  { parts, template }: { parts: NestedParts; template: KubeObject },
): KubeObject {
  const more = recordAt(template, 'spec', 'controlPlane') ?? {}
  const { name = '', namespace = '' } = resource.metadata
  const version = textAt(resource, 'spec', 'version') ?? textAt(template, 'spec', 'version')
  const exposeType = textAt(more, 'expose', 'type') ?? 'none'
  return {
    apiVersion: 'vplane.dev/v1beta1',
    kind: 'ControlPlane',
    metadata: {
      ...placeOf(resource),
      labels: ownerLabels(resource),
      annotations: { [OWNER_ANNOTATION]: `${namespace}/${name}` },
    },
    spec: omitUndefined({
      ...more,
      version: version?.replace(/^v/, ''),
      startsInOrder: true,
      renew: more['renew'] ?? true,
      etcd: component(more['etcd'], parts.etcd),
      apiServer: component(more['apiServer'], parts.kas),
      controllerManager: component(more['controllerManager'], parts.kcm),
      credentials: {
        ...Object(more['credentials']),
        ...credentials(exposeType === 'none' ? 'in-cluster' : 'exposed'),
      },
    }),
  }
}

/** What a part says comes before what its template says in general. */
function component(more: unknown, part: KubeObject): Json {
  return omitUndefined({
    ...Object(more),
    replicas: fieldAt(part, 'spec', 'replicas') ?? 1,
    podTemplate: fieldAt(part, 'spec', 'template'),
  })
}

/** Controllers such as those of Cluster API, and the user of the control plane, have a credential each. */
function credentials(address: string): Json {
  const entry = (who: keyof typeof KUBECONFIGS) => ({
    secret: KUBECONFIGS[who],
    user: `nested-${who}`,
    clusterRole: 'cluster-admin',
    address,
  })
  return { controllers: entry('controllers'), user: entry('user') }
}
