import type { Layout } from '../../../src/control-plane/components/arguments/layout.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { PlaneSpec } from '../../../src/control-plane/spec/spec.ts'
import {
  type AddressPlan,
  API_SERVER_PORT,
  CLUSTER_DOMAIN,
  SERVICE_RANGE,
} from '../cluster/state/address-plan.ts'
import type { ClusterFolder } from '../cluster/state/cluster-folder.ts'

/** A host's control plane as a spec of vplane's: with nodes, and nothing that has to survive a power cut. */
export function hostSpec(version: string): PlaneSpec {
  const component = { goGc: 100 }
  return resolveSpec({
    version,
    ephemeral: true,
    serviceRange: SERVICE_RANGE,
    clusterDomain: CLUSTER_DOMAIN,
    etcd: component,
    apiServer: component,
    // Half of upstream's: tests wait for what the host does about a node that is gone.
    controllerManager: { ...component, extraArgs: { 'node-monitor-grace-period': '25s' } },
  })
}

/** Where everything of a host's control plane is: in the network of the first node. */
export function hostLayout(plan: AddressPlan, folder: ClusterFolder): Layout {
  const address = plan.nodes[0]?.address ?? ''
  const client = `${address}:2379`
  const peer = `${address}:2380`
  return {
    profile: 'full',
    pkiFolder: folder.pki,
    configurationFolder: folder.configuration,
    etcd: {
      name: 'etcd-0',
      dataFolder: folder.etcdData,
      listenClient: client,
      listenPeer: peer,
      listenHttp: 'unixs://etcd.sock',
      advertiseClient: client,
      advertisePeer: peer,
      initialState: 'new',
      token: 'host',
    },
    apiServer: {
      bindAddress: '0.0.0.0',
      advertiseAddress: address,
      port: API_SERVER_PORT,
      url: plan.server,
      endpointReconciler: 'lease',
      etcdServers: [`https://${client}`],
    },
    controllerManager: { bindAddress: '127.0.0.1', port: 10_257, leaderElect: false },
  }
}
