import type { Json } from '../translate/reading.ts'
import type { Figures, NodeFigures } from './node-figures.ts'

/** A node's `/stats/summary`, as far as the host tells (k8s.io/kubelet/pkg/apis/stats/v1alpha1, `Summary`). */
export function statsSummary({ name, pods, ...node }: NodeFigures): Json {
  return {
    node: { nodeName: name, ...stats(node) },
    pods: pods.map(({ containers, pod, ...figures }) => ({
      podRef: {
        name: pod.metadata.name,
        namespace: pod.metadata.namespace,
        uid: pod.metadata.uid,
      },
      ...stats(figures),
      containers: containers.map(({ name: container, ...one }) => ({
        name: container,
        ...stats(one),
      })),
    })),
  }
}

function stats({ at, cpuSeconds, memoryBytes, nanoCores, startTime }: Figures): Json {
  const time = new Date(at).toISOString()
  return {
    startTime: startTime ?? time,
    cpu: {
      time,
      usageNanoCores: nanoCores,
      usageCoreNanoSeconds: Math.round(cpuSeconds * 1e9),
    },
    memory: { time, workingSetBytes: memoryBytes },
  }
}
