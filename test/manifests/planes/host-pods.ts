import { isRecord } from '../../../src/shared/json-fields.ts'
import type { AppliedPlane } from './applied-plane.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'

/** A pod of a plane on its host. */
export interface HostPod {
  metadata: KubeObject['metadata']
  isReady: boolean
  restarts: number
  /** Of its containers that ended and were not told to, why. */
  failures: string[]
}

/** The pods of a plane, those of one component when it is named; those that are about to end included. */
export async function podsIn(
  { host, input }: AppliedPlane,
  component?: string,
): Promise<HostPod[]> {
  const labelSelector = [
    `vplane.dev/name=${input.name}`,
    ...(component === undefined ? [] : [`vplane.dev/component=${component}`]),
  ].join(',')
  const { items } = await host.api.list(`/api/v1/namespaces/${input.namespace}/pods`, {
    labelSelector,
  })
  return items.map(toHostPod)
}

function toHostPod({ metadata, status }: KubeObject): HostPod {
  const { containerStatuses = [] } = isRecord(status) ? status : {}
  const containers = Array.isArray(containerStatuses) ? containerStatuses.filter(isRecord) : []
  return {
    metadata,
    isReady: containers.length > 0 && containers.every(({ ready }) => ready === true),
    failures: containers.flatMap(failureOf),
    restarts: containers.reduce((sum, { restartCount }) => sum + Number(restartCount), 0),
  }
}

/** Exit codes of what was told to end: by itself, by the signal, and killed as it did not in time. */
const TOLD_TO_END = [0, 143, 137]

function failureOf({ lastState }: Record<string, unknown>): string[] {
  const ended = isRecord(lastState) ? lastState['terminated'] : undefined
  if (!isRecord(ended)) {
    return []
  }
  const { exitCode, reason } = ended
  const wasTold = TOLD_TO_END.includes(Number(exitCode)) && reason !== 'OOMKilled'
  return wasTold ? [] : [`${String(reason)} ${String(exitCode)}`]
}
