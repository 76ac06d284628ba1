import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** The label of an EndpointSlice with the name of its Service. */
export const SERVICE_LABEL = 'kubernetes.io/service-name'

/** The label of an EndpointSlice with who writes it: the host leaves those of others alone. */
export const WRITTEN_BY = 'endpointslice.kubernetes.io/managed-by'

/** The value of `WRITTEN_BY` on those that lead to the gateway of an operator. */
export const OPERATOR = 'vplane-operator'

/** Whether an operator writes a slice. */
export function isOfOperator({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.labels?.[WRITTEN_BY] === OPERATOR
}
