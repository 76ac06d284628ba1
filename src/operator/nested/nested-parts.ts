import { recordAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { NESTED_API, ownerLabels, placeOf } from './nested-control-plane.ts'

/** The objects that declare the parts of a nested control plane, in the order in which the parts start. */
export interface NestedParts {
  pki: KubeObject
  etcd: KubeObject
  kas: KubeObject
  kcm: KubeObject
}

/** The parts of a NestedControlPlane as its template says. */
export function nestedParts(resource: KubeObject, template: KubeObject): NestedParts {
  const place = placeOf(resource)
  const { replicas } = recordAt(resource, 'spec') ?? {}
  const part = (kind: string, spec: Record<string, unknown>): KubeObject => ({
    apiVersion: NESTED_API,
    kind,
    metadata: { ...place, labels: ownerLabels(resource) },
    spec,
  })
  const reference = (kind: string) => ({ apiVersion: NESTED_API, kind, ...place })
  const nestedPKI = reference('NestedPKI')
  const { etcd, kas, kcm } = recordAt(template, 'spec') ?? {}
  return {
    pki: part('NestedPKI', {}),
    etcd: part('NestedEtcd', { nestedPKI, ...Object(etcd) }),
    kas: part('NestedKAS', {
      nestedPKI,
      nestedEtcd: reference('NestedEtcd'),
      ...Object(kas),
      ...(replicas === undefined ? {} : { replicas }),
    }),
    kcm: part('NestedKCM', { nestedPKI, nestedKAS: reference('NestedKAS'), ...Object(kcm) }),
  }
}
