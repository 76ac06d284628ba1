import type { Layout } from '../../../src/control-plane/components/arguments/layout.ts'

/** Where everything is, in tests that look at arguments and configuration files. */
export function layoutOf(profile: Layout['profile']): Layout {
  return {
    profile,
    pkiFolder: '/plane/pki',
    configurationFolder: '/plane/configuration',
    etcd: {
      name: 'etcd-0',
      dataFolder: '/plane/etcd',
      listenClient: '127.0.0.1:20001',
      listenPeer: '127.0.0.1:20002',
      listenHttp: profile === 'full' ? 'https://127.0.0.1:20005' : 'unixs://etcd.sock',
      advertiseClient: '127.0.0.1:20001',
      advertisePeer: '127.0.0.1:20002',
      initialState: 'new',
      token: 'c0ffee',
    },
    apiServer: {
      bindAddress: '127.0.0.1',
      advertiseAddress: '127.0.0.1',
      port: 20_003,
      url: 'https://127.0.0.1:20003',
      endpointReconciler: profile === 'full' ? 'lease' : 'none',
      etcdServers: ['https://127.0.0.1:20001'],
    },
    controllerManager: { bindAddress: '127.0.0.1', port: 20_004, leaderElect: false },
  }
}
