import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { virtualNode } from '../../../src/syncer/nodes/virtual-node.ts'

export const NODE_SETTINGS = {
  endpoint: 'syncer.team-a.svc',
  portOf: () => 10_300,
  kubernetesVersion: '1.36.3',
}

/** A virtual node whose kubelet is at a port. */
export function nodeAt(name: string, port: number): KubeObject {
  const settings = { ...NODE_SETTINGS, portOf: () => port }
  return virtualNode(name, settings, { now: new Date('2026-06-01T12:00:00Z') })
}
