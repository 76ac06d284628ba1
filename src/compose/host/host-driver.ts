import type { Driver } from '../../control-plane/driver/driver.ts'

export interface HostDriverOptions {
  /** Whether a host cluster is known without an option that names it. */
  hasHost: () => Promise<boolean>
  /** Creates the driver; called once, when it is needed. */
  load: () => Promise<Driver>
}

/** The driver for a host cluster, loaded when it is needed; without a host it has no planes. */
export function hostDriver({ hasHost, load }: HostDriverOptions): Driver {
  let loading: Promise<Driver> | undefined
  const driver = () => (loading ??= load())
  return {
    name: 'kubernetes',
    certificates: {
      list: async (...args) => (await driver()).certificates.list(...args),
      renewLeaves: async (...args) => (await driver()).certificates.renewLeaves(...args),
      rotation: async (...args) => (await driver()).certificates.rotation(...args),
      rotate: async (...args) => (await driver()).certificates.rotate(...args),
      secretsInEtcd: async (...args) => (await driver()).certificates.secretsInEtcd(...args),
    },
    etcd: {
      staleObjects: async (...args) => (await driver()).etcd.staleObjects(...args),
      canReturnTo: async (...args) => (await driver()).etcd.canReturnTo(...args),
      regainMajority: async (...args) => (await driver()).etcd.regainMajority(...args),
      settle: async (...args) => (await driver()).etcd.settle(...args),
    },
    moves: {
      fingerprint: async (...args) => (await driver()).moves.fingerprint(...args),
      leave: async (...args) => (await driver()).moves.leave(...args),
      takeBack: async (...args) => (await driver()).moves.takeBack(...args),
      return: async (...args) => (await driver()).moves.return(...args),
    },
    pods: {
      volumes: async (...args) => (await driver()).pods.volumes(...args),
      addresses: async (...args) => (await driver()).pods.addresses(...args),
      outlook: async (...args) => (await driver()).pods.outlook(...args),
    },
    metrics: {
      etcd: async (...args) => (await driver()).metrics.etcd(...args),
      ofComponent: async (...args) => (await driver()).metrics.ofComponent(...args),
    },
    credentials: {
      state: async (...args) => credentialsOf(await driver()).state(...args),
      outdated: async (...args) => credentialsOf(await driver()).outdated(...args),
      grant: async (...args) => credentialsOf(await driver()).grant(...args),
    },
    list: async (scope) => ((await hasHost()) ? (await driver()).list(scope) : []),
    find: async (name, scope) => ((await hasHost()) ? (await driver()).find(name, scope) : []),
    create: async (...args) => (await driver()).create(...args),
    start: async (...args) => (await driver()).start(...args),
    plan: async (...args) => (await driver()).plan(...args),
    change: async (...args) => (await driver()).change(...args),
    pause: async (...args) => (await driver()).pause(...args),
    remove: async (...args) => (await driver()).remove(...args),
    isRunning: async (...args) => (await driver()).isRunning(...args),
    status: async (...args) => (await driver()).status(...args),
    endpoint: async (...args) => (await driver()).endpoint(...args),
    issueCredential: async (...args) => (await driver()).issueCredential(...args),
    checkComponents: async (...args) => (await driver()).checkComponents(...args),
    debugFiles: async (...args) => (await driver()).debugFiles(...args),
    restore: async (...args) => (await driver()).restore(...args),
    keys: async (...args) => (await driver()).keys(...args),
    diagnose: async (...args) => (await driver()).diagnose(...args),
    repair: async (...args) => (await driver()).repair(...args),
    snapshot: async (...args) => (await driver()).snapshot(...args),
    logs: async function* (plane, request, signal) {
      yield* (await driver()).logs(plane, request, signal)
    },
  }
}

function credentialsOf({ credentials }: Driver): NonNullable<Driver['credentials']> {
  if (credentials === undefined) {
    throw new TypeError('the driver of host clusters has Secrets')
  }
  return credentials
}
