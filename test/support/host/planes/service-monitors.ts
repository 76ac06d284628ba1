import type { Lab } from '../../../lab/lab.ts'

const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'servicemonitors.monitoring.coreos.com' },
  spec: {
    group: 'monitoring.coreos.com',
    scope: 'Namespaced',
    names: { plural: 'servicemonitors', singular: 'servicemonitor', kind: 'ServiceMonitor' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
}

/** ServiceMonitors on a host cluster, without the operator that reads them, until it is disposed. */
export async function knowServiceMonitors({
  kubectl,
}: Pick<Lab, 'kubectl'>): Promise<AsyncDisposable> {
  const name = `crd/${CRD.metadata.name}`
  await kubectl(['apply', '--filename', '-'], JSON.stringify(CRD))
  await kubectl(['wait', '--for=condition=Established', name, '--timeout=60s'])
  return {
    [Symbol.asyncDispose]: async () => {
      await kubectl(['delete', name, '--ignore-not-found'])
    },
  }
}
