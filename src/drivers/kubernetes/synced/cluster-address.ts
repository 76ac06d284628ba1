import { textAt } from '../../../shared/json-fields.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** The cluster IP of a Service, the first when it has several; undefined for one without. */
export function clusterAddressOf(service: KubeObject): string | undefined {
  const address = textAt(service, 'spec', 'clusterIP')
  return address === 'None' ? undefined : address
}
