import { isRecord } from '../../../shared/json-fields.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** The cluster IP of a Service, the first when it has several; undefined for one without. */
export function clusterAddressOf({ spec }: KubeObject): string | undefined {
  const { clusterIP } = isRecord(spec) ? spec : {}
  return typeof clusterIP === 'string' && clusterIP !== '' && clusterIP !== 'None'
    ? clusterIP
    : undefined
}
