import { isRecord } from '../../../kube/kube-object.ts'
import type { HostObject } from '../host/host-api.ts'

/** The cluster IP of a Service, the first when it has several; undefined for one without. */
export function clusterAddressOf({ spec }: HostObject): string | undefined {
  const { clusterIP } = isRecord(spec) ? spec : {}
  return typeof clusterIP === 'string' && clusterIP !== '' && clusterIP !== 'None'
    ? clusterIP
    : undefined
}
