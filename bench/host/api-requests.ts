import type { KubeClient } from '../../src/kube/client/client.ts'

/** Requests to the host's API by the ServiceAccounts of some namespaces, until it is disposed. */
export interface ApiRequests extends AsyncDisposable {
  /** How many there were, those that start a watch included. */
  count: () => Promise<number>
}

const NAME = 'vplane-bench'
const FLOW_SCHEMAS = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas'
/** Before those of Kubernetes for ServiceAccounts. */
const PRECEDENCE = 100

/** Has the kube-apiserver of the host count them: its metrics have a number for each FlowSchema. */
export async function countRequests(
  client: KubeClient,
  namespaces: readonly string[],
): Promise<ApiRequests> {
  await client.create(FLOW_SCHEMAS, flowSchema(namespaces))
  return {
    count: async () => dispatchedIn((await client.text('/metrics')).body),
    [Symbol.asyncDispose]: async () => {
      await client.delete(`${FLOW_SCHEMAS}/${NAME}`)
    },
  }
}

/** Reads how many requests a kube-apiserver has dispatched for the FlowSchema, from its metrics. */
export function dispatchedIn(metrics: string): number {
  return metrics
    .split('\n')
    .filter((line) => line.startsWith('apiserver_flowcontrol_dispatched_requests_total{'))
    .filter((line) => line.includes(`flow_schema="${NAME}"`))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

function flowSchema(namespaces: readonly string[]) {
  const all = ['*']
  return {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name: NAME },
    spec: {
      matchingPrecedence: PRECEDENCE,
      priorityLevelConfiguration: { name: 'workload-high' },
      rules: [
        {
          subjects: namespaces.map((namespace) => ({
            kind: 'ServiceAccount',
            serviceAccount: { namespace, name: '*' },
          })),
          resourceRules: [
            { verbs: all, apiGroups: all, resources: all, namespaces: all, clusterScope: true },
          ],
          nonResourceRules: [{ verbs: all, nonResourceURLs: all }],
        },
      ],
    },
  }
}
