import { recordAt, textsAt } from '../../../shared/json-fields.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** Returns the cluster IPs of a Service; none for a headless one. */
export function clusterAddressesOf(service: KubeObject | undefined): string[] {
  const { clusterIP, clusterIPs = [clusterIP] } = recordAt(service, 'spec') ?? {}
  return textsAt(clusterIPs).filter((one) => one !== '' && one !== 'None')
}
