import type { KubeClient } from '../../kube/client/client.ts'
import { VplaneError } from '../../shared/errors.ts'
import { collectionPath, objectPath } from '../../shared/kube/collections.ts'
import { parseSecretYaml } from '../../shared/yaml/yaml.ts'
import { recordsAt, textAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import {
  CLUSTER_LABEL,
  clusterOf,
  NESTED_API,
  OWNER_LABEL,
  ownerLabels,
} from './nested-control-plane.ts'

/** The address of an API server. */
export interface ApiEndpoint {
  host: string
  port: number
}

/** The address in a kubeconfig. @default it has none */
export function endpointIn(kubeconfig: string): ApiEndpoint | undefined {
  const [cluster] = recordsAt(parseSecretYaml(kubeconfig, 'the kubeconfig'), 'clusters')
  const server = textAt(cluster, 'cluster', 'server')
  if (server === undefined || !URL.canParse(server)) {
    return undefined
  }
  const { hostname, port } = new URL(server)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 443 : Number(port) }
}

/**
 * The Secret with the kubeconfig for controllers beside a NestedControlPlane, as Cluster API reads it
 * (https://cluster-api.sigs.k8s.io/developer/providers/contracts/control-plane, "cluster kubeconfig management"). Its name
 * is that of the Cluster, or of the NestedControlPlane when there is none.
 */
export function clusterKubeconfig(resource: KubeObject, kubeconfig: string): KubeObject {
  const { name = '', namespace = '', uid } = resource.metadata
  const cluster = clusterOf(resource) ?? name
  const owner = { apiVersion: NESTED_API, kind: resource.kind, name, uid, controller: true }
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `${cluster}-kubeconfig`,
      namespace,
      labels: { ...ownerLabels(resource), [CLUSTER_LABEL]: cluster },
      ownerReferences: [owner],
    },
    type: 'cluster.x-k8s.io/secret',
    data: { value: Buffer.from(kubeconfig).toString('base64') },
  }
}

/**
 * Writes the Secret with the kubeconfig for controllers. One of the name that is not of the NestedControlPlane stays: its
 * author may not be allowed to write Secrets.
 * @throws {VplaneError} `CONFLICT` when another Secret has the name.
 */
export async function writeKubeconfig(
  host: Pick<KubeClient, 'apply' | 'create' | 'get'>,
  secret: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const { labels, name, namespace } = secret.metadata
  const path = objectPath('secrets', secret.metadata)
  const found = await host.get(path, { signal })
  if (found === undefined) {
    await host.create(collectionPath('secrets', namespace), secret, { signal })
    return
  }
  if (found.metadata.labels?.[OWNER_LABEL] !== labels?.[OWNER_LABEL]) {
    throw new VplaneError(
      'CONFLICT',
      `Secret "${name}" exists and is not of this control plane: delete it, or use another name`,
    )
  }
  const { uid = '' } = found.metadata
  await host.apply(path, { ...secret, metadata: { ...secret.metadata, uid } }, { signal })
}
