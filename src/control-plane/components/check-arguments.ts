import type { PlaneSpec } from '../spec/spec.ts'
import { configurationFiles } from './configuration-files.ts'
import { describeComponents } from './describe-components.ts'
import type { Layout } from './arguments/layout.ts'

/** A placeholder for the layout of a driver, on which the check does not depend. */
const ANY_LAYOUT: Layout = {
  profile: 'nodeless',
  pkiFolder: '/pki',
  configurationFolder: '/configuration',
  etcd: {
    name: 'etcd-0',
    dataFolder: '/etcd',
    listenClient: '127.0.0.1:2379',
    listenPeer: '127.0.0.1:2380',
    listenHttp: 'unixs://etcd.sock',
    advertiseClient: '127.0.0.1:2379',
    advertisePeer: '127.0.0.1:2380',
    initialState: 'new',
    token: 'any',
  },
  apiServer: {
    bindAddress: '127.0.0.1',
    advertiseAddress: '127.0.0.1',
    port: 6443,
    url: 'https://127.0.0.1:6443',
    endpointReconciler: 'none',
    etcdServers: ['https://127.0.0.1:2379'],
  },
  controllerManager: { bindAddress: '127.0.0.1', port: 10_257, leaderElect: false },
  scheduler: { bindAddress: '127.0.0.1', port: 10_259, leaderElect: false },
}

/** @throws {VplaneError} `INVALID_SPEC` when extraArgs name a managed flag. */
export function checkArguments(spec: PlaneSpec): void {
  describeComponents(spec, ANY_LAYOUT)
  configurationFiles(spec, ANY_LAYOUT)
}
