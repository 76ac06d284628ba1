import type {
  ContainerStatus,
  HostEvent,
  Pod,
} from '../../../../src/drivers/kubernetes/host/host-pod.ts'
import type { ProblemContext } from '../../../../src/drivers/kubernetes/context/problem.ts'
import { objectLabels } from '../../../../src/manifests/object-names.ts'

export const CONTEXT: ProblemContext = {
  name: 'dev',
  namespace: 'team-a',
  component: 'etcd',
  hostContext: 'kind',
}

/** Etcd's pod: scheduled and without problems, but for what is said of it. */
export function podWith(status: Pod['status'] = {}, metadata: object = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'vplane-dev-etcd-0',
      namespace: 'team-a',
      uid: 'pod-uid',
      labels: objectLabels('dev', 'etcd'),
      ...metadata,
    },
    spec: {
      nodeName: 'node-1',
      containers: [{ name: 'etcd', image: 'etcd:1', resources: { limits: { memory: '256Mi' } } }],
    },
    status: { phase: 'Pending', ...status },
  }
}

/** The same, with a container in this state. */
export function podWithContainer(status: Partial<ContainerStatus>): Pod {
  return podWith({ containerStatuses: [{ name: 'etcd', ...status }] })
}

/** The same, with a container that waits. */
export function waitingPod(reason: string, message = ''): Pod {
  return podWithContainer({ state: { waiting: { reason, message } } })
}

/** The same, without a node that accepts it. */
export function unscheduledPod(
  message: string,
  status: Pod['status'] = {},
  condition: object = {},
): Pod {
  const reason = 'Unschedulable'
  const conditions = [{ type: 'PodScheduled', status: 'False', reason, message, ...condition }]
  return podWith({ ...status, conditions })
}

/** A note of the host about that pod. */
export function eventWith(reason: string, message = '', more: Partial<HostEvent> = {}): HostEvent {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${reason}.1` },
    type: 'Warning',
    reason,
    message,
    involvedObject: { kind: 'Pod', uid: 'pod-uid' },
    ...more,
  }
}
