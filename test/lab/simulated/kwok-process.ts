import { join } from 'node:path'
import type { ClusterFolder } from '../cluster/state/cluster-folder.ts'
import type { LabProcess } from '../cluster/cluster-processes.ts'
import { GROUP_LABEL } from './simulated-node.ts'

/** What becomes of nodes and pods: they are ready at once, and pods of Jobs have then ended. Files of kwok's module. */
const STAGES = [
  'node/fast/node-initialize.yaml',
  'node/heartbeat-with-lease/node-heartbeat-with-lease.yaml',
  'pod/fast/pod-complete.yaml',
  'pod/fast/pod-delete.yaml',
  'pod/fast/pod-ready.yaml',
]

/** Addresses of simulated pods, which lead nowhere. */
const POD_RANGE = '10.245.0.0/16'

export interface KwokOptions {
  /** The path of the program. */
  program: string
  /** The folder of its module's files. */
  module: string
  /** Value of the label of the nodes that it runs. */
  group: string
}

/** A kwok that runs a group of nodes of a cluster. */
export function kwokProcess(
  folder: Pick<ClusterFolder, 'kubeconfig' | 'root'>,
  { group, module, program }: KwokOptions,
): LabProcess {
  return {
    name: `kwok-${group}`,
    command: [
      program,
      `--kubeconfig=${folder.kubeconfig}`,
      ...STAGES.map((stage) => `--config=${join(module, 'kustomize/stage', stage)}`),
      `--manage-nodes-with-label-selector=${GROUP_LABEL}=${group}`,
      '--node-lease-duration-seconds=40',
      `--cidr=${POD_RANGE}`,
    ],
    // Nobody's own settings of kwok.
    env: { HOME: folder.root },
  }
}
